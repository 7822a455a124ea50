package check

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// OwnCRD makes a CRD that the code under judgement is about to create this
// judgement's own: it is removed when the step is judged, also after a crash.
// Its group must be a RandomGroup.
func (s *S) OwnCRD(crd *unstructured.Unstructured) {
	labels := crd.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[runLabel] = s.run
	crd.SetLabels(labels)
	remove := removal(s.ctx, s.Config(), crdResource, crd.GetName())
	s.t.Cleanup(func() { logError(s.t, remove()) })
}

package main

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"example.com/client-go-workshop/internal/check"
)

// checkLabels are labels written as in a selector, for example "app=web,tier=front".
func checkLabels(text string) map[string]string {
	if text == "" {
		return nil
	}
	set, err := labels.ConvertSelectorToLabelsMap(text)
	if err != nil {
		panic(err) // a fault of the check
	}
	return set
}

// checkPod is a pod that no server has seen, with labels written as in a selector.
func checkPod(namespace, name, labels string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: checkLabels(labels)}}
}

// checkEnding is a pod whose deletion has begun.
func checkEnding(namespace, name, labels string) *corev1.Pod {
	pod := checkPod(namespace, name, labels)
	pod.DeletionTimestamp = new(metav1.Now())
	return pod
}

// checkInformer is an informer that never runs and holds these pods.
func checkInformer(indexers cache.Indexers, pods ...*corev1.Pod) cache.TypedSharedIndexInformer[*corev1.Pod] {
	all := cache.Indexers{}
	maps.Copy(all, indexers)
	informer := cache.NewTypedSharedIndexInformer[*corev1.Pod](cache.NewSharedIndexInformerWithOptions(
		&cache.ListWatch{}, &corev1.Pod{}, cache.SharedIndexInformerOptions{Indexers: all}))
	for _, pod := range pods {
		if err := informer.GetIndexer().Add(pod); err != nil {
			panic(err) // a pod has a name, so it has a key
		}
	}
	return informer
}

// checkIndexer is the indexer of a checkInformer.
func checkIndexer(indexers cache.Indexers, pods ...*corev1.Pod) cache.TypedIndexer[*corev1.Pod] {
	return checkInformer(indexers, pods...).GetTypedIndexer()
}

// checkManyPods are n pods, ten of each app, in ten namespaces and on a hundred
// nodes. The pods of an app are in one namespace and have one owner.
func checkManyPods(n int) []*corev1.Pod {
	pods := make([]*corev1.Pod, n)
	for i := range pods {
		app := fmt.Sprintf("app-%d", i/10)
		pod := checkPod(fmt.Sprintf("namespace-%d", i/10%10), app+"-"+strconv.FormatUint(uint64(i)*2654435761, 36), "")
		pod.Labels = map[string]string{AppLabel: app, "tier": "front"}
		pod.Spec.NodeName = fmt.Sprintf("node-%d", i%100)
		uid := types.UID(fmt.Sprintf("5d2c1b0a-0000-4000-8000-%012d", i/10))
		pod.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", UID: uid}}
		pods[i] = pod
	}
	return pods
}

// checkIndexers are the indexes of the chapter, with functions of the check's
// own making: a step is judged whether or not another one is written.
func checkIndexers() cache.Indexers {
	return cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
		AppIndex:             checkAppIndexFunc,
		NamespaceAppIndex: func(obj any) ([]string, error) {
			values, err := checkAppIndexFunc(obj)
			for i := range values {
				values[i] = obj.(*corev1.Pod).Namespace + "/" + values[i]
			}
			return values, err
		},
	}
}

func checkAppIndexFunc(obj any) ([]string, error) {
	if pod, ok := obj.(*corev1.Pod); ok {
		if app, ok := pod.Labels[AppLabel]; ok {
			return []string{app}, nil
		}
	}
	return nil, nil
}

// checkMeter counts what is asked of an indexer and how many pods and keys it hands
// out: the cost of an answer, whatever the speed of the machine.
type checkMeter struct {
	cache.TypedIndexer[*corev1.Pod]
	asked, read, wrote atomic.Int64
}

func (m *checkMeter) count(n int) {
	m.asked.Add(1)
	m.read.Add(int64(n))
}

func (m *checkMeter) List() []any {
	out := m.TypedIndexer.List()
	m.count(len(out))
	return out
}

func (m *checkMeter) ListKeys() []string {
	out := m.TypedIndexer.ListKeys()
	m.count(len(out))
	return out
}

func (m *checkMeter) Get(obj any) (any, bool, error) {
	m.count(1)
	return m.TypedIndexer.Get(obj)
}

func (m *checkMeter) GetByKey(key string) (any, bool, error) {
	m.count(1)
	return m.TypedIndexer.GetByKey(key)
}

func (m *checkMeter) Index(name string, obj any) ([]any, error) {
	out, err := m.TypedIndexer.Index(name, obj)
	m.count(len(out))
	return out, err
}

func (m *checkMeter) TypedIndex(name string, obj *corev1.Pod) ([]*corev1.Pod, error) {
	out, err := m.TypedIndexer.TypedIndex(name, obj)
	m.count(len(out))
	return out, err
}

func (m *checkMeter) ByIndex(name, value string) ([]any, error) {
	out, err := m.TypedIndexer.ByIndex(name, value)
	m.count(len(out))
	return out, err
}

func (m *checkMeter) ByTypedIndex(name, value string) ([]*corev1.Pod, error) {
	out, err := m.TypedIndexer.ByTypedIndex(name, value)
	m.count(len(out))
	return out, err
}

func (m *checkMeter) IndexKeys(name, value string) ([]string, error) {
	out, err := m.TypedIndexer.IndexKeys(name, value)
	m.count(len(out))
	return out, err
}

func (m *checkMeter) ListIndexFuncValues(name string) []string {
	m.count(0)
	return m.TypedIndexer.ListIndexFuncValues(name)
}

func (m *checkMeter) Add(obj any) error {
	m.wrote.Add(1)
	return m.TypedIndexer.Add(obj)
}

func (m *checkMeter) Update(obj any) error {
	m.wrote.Add(1)
	return m.TypedIndexer.Update(obj)
}

func (m *checkMeter) Delete(obj any) error {
	m.wrote.Add(1)
	return m.TypedIndexer.Delete(obj)
}

func (m *checkMeter) Replace(objs []any, resourceVersion string) error {
	m.wrote.Add(1)
	return m.TypedIndexer.Replace(objs, resourceVersion)
}

// checkSnapshot is a copy of what an indexer holds.
func checkSnapshot(indexer cache.Store) map[string]*corev1.Pod {
	out := map[string]*corev1.Pod{}
	for _, obj := range indexer.List() {
		pod := obj.(*corev1.Pod)
		out[pod.Namespace+"/"+pod.Name] = pod.DeepCopy()
	}
	return out
}

// requireUntouched fails when a pod in the cache is not what it was.
func requireUntouched(s *check.S, indexer cache.Store, before map[string]*corev1.Pod) {
	const cause = "objects of the cache are shared with everybody who reads it: DeepCopy before you change one, " +
		"and leave writing to the informer"
	now := checkSnapshot(indexer)
	for key, pod := range before {
		s.Requiref(reflect.DeepEqual(pod, now[key]), cause,
			"pod %s in the cache was changed: its labels were %v and are %v", key, pod.Labels, checkLabelsOf(now[key]))
	}
	s.Requiref(len(now) == len(before), cause, "the cache had %d pods and has %d", len(before), len(now))
}

// requireSamePod fails when an index function has changed the pod that it was asked about.
func requireSamePod(s *check.S, who string, before, now *corev1.Pod) {
	s.Requiref(reflect.DeepEqual(before, now), "the object is the cache's own: read it, and leave it as it is",
		"%s changed the pod: it was\n%+v\nand is\n%+v", who, before, now)
}

func checkLabelsOf(pod *corev1.Pod) map[string]string {
	if pod == nil {
		return nil
	}
	return pod.Labels
}

// checkKeysOf are the keys of pods, in their order.
func checkKeysOf(pods []*corev1.Pod) []string {
	keys := make([]string, 0, len(pods))
	for _, pod := range pods {
		if pod == nil {
			keys = append(keys, "nil")
			continue
		}
		keys = append(keys, pod.Namespace+"/"+pod.Name)
	}
	return keys
}

// checkInOrder are the keys as the steps sort pods: by namespace, then by name.
func checkInOrder(keys []string) []string {
	return slices.SortedFunc(slices.Values(keys), func(a, b string) int {
		nsA, nameA, _ := cache.SplitMetaNamespaceKey(a)
		nsB, nameB, _ := cache.SplitMetaNamespaceKey(b)
		return cmp.Or(cmp.Compare(nsA, nsB), cmp.Compare(nameA, nameB))
	})
}

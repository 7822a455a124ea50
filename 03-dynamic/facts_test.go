package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/check"
)

// factClient returns a DynamicClient for the cluster whose requests the Recorder sees.
func factClient(t *testing.T) (*check.Recorder, *dynamic.DynamicClient) {
	t.Helper()
	rec, cfg := &check.Recorder{}, check.FactConfig(t)
	cfg.Wrap(rec.Wrap)
	client, err := dynamic.NewForConfig(cfg)
	require.NoError(t, err)
	return rec, client
}

// factWebsites installs the chapter's CRD in a group of this test's own, removed
// at the end, and returns its resource and what the POST answered.
func factWebsites(t *testing.T, client dynamic.Interface) (schema.GroupVersionResource, *unstructured.Unstructured) {
	t.Helper()
	group := check.RandomGroup()
	crd := websiteCRD()
	crd.SetName("websites." + group)
	require.NoError(t, unstructured.SetNestedField(crd.Object, group, "spec", "group"))
	created, err := client.Resource(crds).Create(t.Context(), crd, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
		defer cancel()
		assert.NoError(t, client.Resource(crds).Delete(ctx, crd.GetName(), metav1.DeleteOptions{}))
	})
	websites := schema.GroupVersionResource{Group: group, Version: "v1", Resource: "websites"}
	require.Eventually(t, func() bool {
		_, err := client.Resource(websites).List(t.Context(), metav1.ListOptions{Limit: 1})
		return err == nil
	}, 30*time.Second, 50*time.Millisecond)
	return websites, created
}

// factWebsite is a Website of that group, not yet created.
func factWebsite(resource schema.GroupVersionResource) *unstructured.Unstructured {
	website := websiteManifest("replicas")
	website.SetAPIVersion(resource.GroupVersion().String())
	return website
}

func factDeployments() schema.GroupVersionResource {
	return appsv1.SchemeGroupVersion.WithResource("deployments")
}

func TestFactADynamicClientIsOneFieldAndOneMethod(t *testing.T) {
	client := reflect.TypeFor[dynamic.DynamicClient]()
	require.Equal(t, 1, client.NumField())
	assert.Equal(t, reflect.TypeFor[rest.Interface](), client.Field(0).Type)
	pointer := reflect.TypeFor[*dynamic.DynamicClient]()
	require.Equal(t, 1, pointer.NumMethod())
	assert.Equal(t, "Resource", pointer.Method(0).Name)
}

func TestFactTheDynamicClientReturnsUnstructured(t *testing.T) {
	for method, want := range map[string]reflect.Type{
		"Get":   reflect.TypeFor[*unstructured.Unstructured](),
		"List":  reflect.TypeFor[*unstructured.UnstructuredList](),
		"Watch": reflect.TypeFor[watch.Interface](),
	} {
		found, ok := reflect.TypeFor[dynamic.ResourceInterface]().MethodByName(method)
		require.True(t, ok)
		assert.Equal(t, want, found.Type.Out(0), method)
	}
	_, client := factClient(t)
	obj, err := client.Resource(factDeployments()).Namespace("kube-system").Get(t.Context(), "coredns", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, "coredns", obj.Object["metadata"].(map[string]any)["name"], "the map is its field Object")
}

func TestFactTheRESTClientFillsAnUnstructuredAsWell(t *testing.T) {
	cfg := check.FactConfig(t)
	cfg.APIPath, cfg.GroupVersion = "/apis", &appsv1.SchemeGroupVersion
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.RESTClientFor(cfg)
	require.NoError(t, err)
	var obj unstructured.Unstructured
	require.NoError(t, client.Get().Namespace("kube-system").Resource("deployments").Name("coredns").Do(t.Context()).Into(&obj))
	assert.Equal(t, "coredns", obj.GetName())
}

func TestFactNamespaceReturnsACopy(t *testing.T) {
	rec, client := factClient(t)
	deployments := client.Resource(factDeployments())
	_ = deployments.Namespace("kube-system")
	_, err := deployments.List(t.Context(), metav1.ListOptions{Limit: 1})
	require.NoError(t, err)
	assert.Equal(t, "/apis/apps/v1/deployments", rec.Requests(check.Match{})[0].Path,
		"the client that Namespace was called on still means all of them")
}

func TestFactThePathIsMadeUnchecked(t *testing.T) {
	rec, client := factClient(t)
	_, err := client.Resource(appsv1.SchemeGroupVersion.WithResource("Deployment")).Namespace("kube-system").Get(t.Context(), "coredns",
		metav1.GetOptions{})
	assert.True(t, apierrors.IsNotFound(err), "a Kind in place of the resource: %v", err)
	_, err = client.Resource(factDeployments()).Get(t.Context(), "coredns", metav1.GetOptions{})
	assert.True(t, apierrors.IsNotFound(err), "a namespaced resource without its namespace: %v", err)
	obj := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": "web"}}}
	_, err = client.Resource(factDeployments()).Create(t.Context(), obj, metav1.CreateOptions{})
	assert.True(t, apierrors.IsMethodNotSupported(err), "a create without a namespace: %v", err)
	_, err = client.Resource(corev1.SchemeGroupVersion.WithResource("nodes")).Namespace("kube-system").List(t.Context(), metav1.ListOptions{})
	assert.True(t, apierrors.IsNotFound(err), "a cluster-scoped resource with a namespace: %v", err)
	assert.Len(t, rec.Requests(check.Match{}), 4, "each was sent: only the server finds the mistake")
}

func TestFactTheDynamicClientSpeaksJSON(t *testing.T) {
	var accept, content string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accept, content = r.Header.Get("Accept"), r.Header.Get("Content-Type")
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.Copy(w, r.Body)
	}))
	t.Cleanup(server.Close)
	cfg := &rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeProtobuf,
		AcceptContentTypes: runtime.ContentTypeProtobuf}}
	client, err := dynamic.NewForConfig(cfg)
	require.NoError(t, err)
	_, err = client.Resource(factDeployments()).Namespace("a").Create(t.Context(), websiteManifest("replicas"), metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, "application/json", accept, "whatever the config says")
	assert.Equal(t, "application/json", content)
}

func TestFactNumbersAreInt64AndFloat64(t *testing.T) {
	var obj unstructured.Unstructured
	require.NoError(t, obj.UnmarshalJSON([]byte(`{"kind":"Website","apiVersion":"a/v1","spec":{"replicas":3,"ratio":0.5}}`)))
	assert.Equal(t, map[string]any{"replicas": int64(3), "ratio": 0.5}, obj.Object["spec"])

	var plain map[string]any
	require.NoError(t, json.Unmarshal([]byte(`{"replicas":3}`), &plain))
	assert.Equal(t, float64(3), plain["replicas"], "encoding/json makes every number a float64")
	_, _, err := unstructured.NestedInt64(plain, "replicas")
	assert.Error(t, err)
}

func TestFactAnIntPanicsWhenItIsCopied(t *testing.T) {
	for name, copies := range map[string]func(){
		"DeepCopy": func() {
			(&unstructured.Unstructured{Object: map[string]any{"replicas": 3}}).DeepCopy()
		},
		"SetNestedField": func() { _ = unstructured.SetNestedField(map[string]any{}, 3, "replicas") },
		"SetNestedMap":   func() { _ = unstructured.SetNestedMap(map[string]any{}, map[string]any{"replicas": 3}, "spec") },
		"NestedMap": func() {
			_, _, _ = unstructured.NestedMap(map[string]any{"spec": map[string]any{"replicas": 3}}, "spec")
		},
	} {
		assert.PanicsWithError(t, "cannot deep copy int", func() {
			defer func() {
				if value := recover(); value != nil {
					panic(fmt.Errorf("%v", value))
				}
			}()
			copies()
		}, name)
	}
	assert.NotPanics(t, func() { _ = unstructured.SetNestedField(map[string]any{}, int64(3), "replicas") })
}

func TestFactAPlainCreateTakesAnInt(t *testing.T) {
	_, client := factClient(t)
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "web"},
		"spec": map[string]any{
			"schedulerName": check.NoScheduler, "terminationGracePeriodSeconds": 3, // an int
			"containers": []any{map[string]any{"name": "web", "image": "registry.k8s.io/pause:3.10"}},
		},
	}}
	created, err := client.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace(check.FactNamespace(t)).Create(t.Context(),
		obj, metav1.CreateOptions{})
	require.NoError(t, err, "it is encoded, and not copied")
	seconds, _, err := unstructured.NestedInt64(created.Object, "spec", "terminationGracePeriodSeconds")
	require.NoError(t, err)
	assert.Equal(t, int64(3), seconds)
}

func TestFactOnlyTheTypesOfJSONAreCopied(t *testing.T) {
	for _, value := range []any{[]string{"a"}, map[string]string{"a": "b"}, []map[string]any{{}}, int32(1), struct{}{}} {
		assert.Panics(t, func() { _ = unstructured.SetNestedField(map[string]any{}, value, "field") }, "%T", value)
	}
	for _, value := range []any{"a", true, nil, int64(1), 0.5, []any{"a"}, map[string]any{"a": "b"}} {
		assert.NotPanics(t, func() { _ = unstructured.SetNestedField(map[string]any{}, value, "field") }, "%T", value)
	}
	obj := map[string]any{}
	require.NoError(t, unstructured.SetNestedStringSlice(obj, []string{"a"}, "list"))
	require.NoError(t, unstructured.SetNestedStringMap(obj, map[string]string{"a": "b"}, "map"))
	assert.Equal(t, map[string]any{"list": []any{"a"}, "map": map[string]any{"a": "b"}}, obj)
}

func TestFactNestedMapIsACopyAndNoCopyIsNot(t *testing.T) {
	obj := map[string]any{"spec": map[string]any{"host": "a"}}
	copied, _, err := unstructured.NestedMap(obj, "spec")
	require.NoError(t, err)
	copied["host"] = "b"
	assert.Equal(t, "a", obj["spec"].(map[string]any)["host"])

	inner, _, err := unstructured.NestedFieldNoCopy(obj, "spec")
	require.NoError(t, err)
	inner.(map[string]any)["host"] = "b"
	assert.Equal(t, "b", obj["spec"].(map[string]any)["host"])
}

func TestFactAbsentIsNoErrorAndNullIsAWrongType(t *testing.T) {
	obj := map[string]any{"spec": map[string]any{"list": nil, "text": "three"}}
	_, found, err := unstructured.NestedSlice(obj, "status", "conditions")
	assert.False(t, found)
	assert.NoError(t, err, "absent, with all that is above it")
	_, found, err = unstructured.NestedSlice(obj, "spec", "list")
	assert.False(t, found)
	assert.ErrorContains(t, err, ".spec.list accessor error", "null")
	_, found, err = unstructured.NestedInt64(obj, "spec", "text")
	assert.False(t, found, "found alone does not tell a wrong type from an absent field")
	assert.ErrorContains(t, err, ".spec.text accessor error")
	_, found, _ = unstructured.NestedString(obj, "spec.text")
	assert.False(t, found, "a dot does not part the path")
}

func TestFactTheConverterHasOneTypeAndThreeMethods(t *testing.T) {
	assert.Equal(t, "*runtime.unstructuredConverter", fmt.Sprintf("%T", runtime.DefaultUnstructuredConverter))
	assert.Equal(t, 2, reflect.TypeFor[runtime.UnstructuredConverter]().NumMethod())
	_, ok := any(runtime.DefaultUnstructuredConverter).(interface {
		FromUnstructuredWithValidation(map[string]any, any, bool) error
	})
	assert.True(t, ok, "it validates as well, which the interface does not have")
}

func TestFactTheConverterWantsAPointer(t *testing.T) {
	content := map[string]any{"metadata": map[string]any{"name": "web"}}
	converter := runtime.DefaultUnstructuredConverter
	assert.ErrorContains(t, converter.FromUnstructured(content, appsv1.Deployment{}), "non-nil pointer")
	assert.ErrorContains(t, converter.FromUnstructured(content, (*appsv1.Deployment)(nil)), "non-nil pointer")
	_, err := converter.ToUnstructured(appsv1.Deployment{})
	assert.ErrorContains(t, err, "non-nil pointer")

	var anything any
	require.NoError(t, converter.FromUnstructured(content, &anything), "a pointer to an interface is no error")
	assert.IsType(t, map[string]any{}, anything, "and brings no Deployment")
}

func TestFactFromUnstructuredDropsUnknownFields(t *testing.T) {
	var website Website
	content := websiteManifest("replcias").Object
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(content, &website))
	assert.Nil(t, website.Spec.Replicas)

	err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(content, &website, true)
	assert.True(t, runtime.IsStrictDecodingError(err))
	assert.ErrorContains(t, err, `unknown field "spec.replcias"`)
	assert.Equal(t, "web.example.com", website.Spec.Host, "the object is filled all the same")
}

func TestFactIsStrictDecodingErrorDoesNotLookInside(t *testing.T) {
	strict := runtime.NewStrictDecodingError([]error{io.EOF})
	assert.True(t, runtime.IsStrictDecodingError(strict))
	assert.False(t, runtime.IsStrictDecodingError(fmt.Errorf("convert: %w", strict)))
}

func TestFactTheConverterLooksAtNoKind(t *testing.T) {
	var deployment appsv1.Deployment
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(websiteManifest("replicas").Object, &deployment))
	assert.Equal(t, "Website", deployment.Kind)
	assert.Equal(t, int32(1), *deployment.Spec.Replicas)
}

func TestFactATypedObjectConvertsWithoutItsKind(t *testing.T) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(webDeployment())
	require.NoError(t, err)
	assert.NotContains(t, content, "kind")
	assert.NotContains(t, content, "apiVersion")

	data, err := json.Marshal(webDeployment())
	require.NoError(t, err)
	assert.ErrorContains(t, (&unstructured.Unstructured{}).UnmarshalJSON(data), "Object 'Kind' is missing")
}

func TestFactOnlyABuiltInKindMayBeLeftOut(t *testing.T) {
	_, client := factClient(t)
	ns := check.FactNamespace(t)
	cm := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "web"}}}
	created, err := client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(ns).Create(t.Context(), cm,
		metav1.CreateOptions{})
	require.NoError(t, err, "the path says it")
	assert.Equal(t, "ConfigMap", created.GetKind())

	websites, _ := factWebsites(t, client)
	website := factWebsite(websites)
	delete(website.Object, "kind")
	_, err = client.Resource(websites).Namespace(ns).Create(t.Context(), website, metav1.CreateOptions{})
	assert.True(t, apierrors.IsBadRequest(err), "%v", err)
	assert.ErrorContains(t, err, "Object 'Kind' is missing")
}

func TestFactANewCRDHasNullConditions(t *testing.T) {
	_, client := factClient(t)
	_, created := factWebsites(t, client)
	conditions, found, err := unstructured.NestedFieldNoCopy(created.Object, "status", "conditions")
	require.NoError(t, err)
	assert.True(t, found)
	assert.Nil(t, conditions)
}

func TestFactAGuessedPluralIsAGuess(t *testing.T) {
	for kind, guess := range map[string]string{"Website": "websites", "Mouse": "mouses", "Index": "indexs", "Datum": "datums"} {
		plural, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Group: websiteGroup, Version: "v1", Kind: kind})
		assert.Equal(t, guess, plural.Resource)
	}
}

func TestFactTheServerDropsUnknownFieldsUnlessAsked(t *testing.T) {
	_, client := factClient(t)
	websites, _ := factWebsites(t, client)
	inNamespace := client.Resource(websites).Namespace(check.FactNamespace(t))
	website := websiteManifest("replcias")
	website.SetAPIVersion(websites.GroupVersion().String())

	_, err := inNamespace.Create(t.Context(), website, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	assert.True(t, apierrors.IsBadRequest(err), "%v", err)
	assert.ErrorContains(t, err, `unknown field "spec.replcias"`)
	created, err := inNamespace.Create(t.Context(), website, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"host": "web.example.com"}, created.Object["spec"])
}

func TestFactACustomResourceTakesNoUpdateWithoutAVersion(t *testing.T) {
	_, client := factClient(t)
	websites, _ := factWebsites(t, client)
	inNamespace := client.Resource(websites).Namespace(check.FactNamespace(t))
	_, err := inNamespace.Create(t.Context(), factWebsite(websites), metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = inNamespace.Update(t.Context(), factWebsite(websites), metav1.UpdateOptions{})
	assert.True(t, apierrors.IsInvalid(err), "%v", err)
	assert.ErrorContains(t, err, "must be specified for an update")
}

func TestFactACustomResourceTakesNoStrategicMergePatch(t *testing.T) {
	_, client := factClient(t)
	websites, _ := factWebsites(t, client)
	inNamespace := client.Resource(websites).Namespace(check.FactNamespace(t))
	_, err := inNamespace.Create(t.Context(), factWebsite(websites), metav1.CreateOptions{})
	require.NoError(t, err)
	patch := []byte(`{"spec":{"host":"new.example.com"}}`)
	_, err = inNamespace.Patch(t.Context(), "web", types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	assert.True(t, apierrors.IsUnsupportedMediaType(err), "%v", err)
	_, err = inNamespace.Patch(t.Context(), "web", types.MergePatchType, patch, metav1.PatchOptions{})
	assert.NoError(t, err)
}

func TestFactTheMainResourceDropsTheStatus(t *testing.T) {
	_, client := factClient(t)
	websites, _ := factWebsites(t, client)
	inNamespace := client.Resource(websites).Namespace(check.FactNamespace(t))
	website := factWebsite(websites)
	website.Object["status"] = map[string]any{"phase": "Ready"}

	created, err := inNamespace.Create(t.Context(), website, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.NotContains(t, created.Object, "status")
	applied, err := inNamespace.Apply(t.Context(), "web", website, metav1.ApplyOptions{FieldManager: "fact", Force: true})
	require.NoError(t, err)
	assert.NotContains(t, applied.Object, "status")

	delete(website.Object, "spec")
	applied, err = inNamespace.ApplyStatus(t.Context(), "web", website, metav1.ApplyOptions{FieldManager: "fact", Force: true})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"phase": "Ready"}, applied.Object["status"])
	assert.Equal(t, created.GetGeneration(), applied.GetGeneration(), "a status moves no generation")
}

func TestFactAnObjectThatWasReadCannotBeApplied(t *testing.T) {
	rec, client := factClient(t)
	deployments := client.Resource(factDeployments()).Namespace("kube-system")
	coredns, err := deployments.Get(t.Context(), "coredns", metav1.GetOptions{})
	require.NoError(t, err)
	_, err = deployments.Apply(t.Context(), "coredns", coredns, metav1.ApplyOptions{FieldManager: "fact"})
	assert.ErrorContains(t, err, "managed fields")
	assert.Zero(t, rec.Count(check.Match{Verb: "patch"}), "the client refuses it before it is sent")
}

func TestFactAnErrorEventHoldsAStatus(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w,
			`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}}`+"\n")
	}))
	t.Cleanup(server.Close)
	client, err := dynamic.NewForConfig(&rest.Config{Host: server.URL})
	require.NoError(t, err)
	w, err := client.Resource(factDeployments()).Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err, "the answer is 200 OK")
	defer w.Stop()
	event := <-w.ResultChan()
	assert.Equal(t, watch.Error, event.Type)
	assert.IsType(t, &metav1.Status{}, event.Object, "and no Unstructured")
	assert.True(t, apierrors.IsResourceExpired(apierrors.FromObject(event.Object)))
	event, open := <-w.ResultChan()
	assert.False(t, open)
	assert.Nil(t, event.Object)
}

func TestFactTheMetadataClientAsksForMetadataAlone(t *testing.T) {
	rec, cfg := &check.Recorder{}, check.FactConfig(t)
	cfg.Wrap(rec.Wrap)
	client, err := metadata.NewForConfig(cfg)
	require.NoError(t, err)
	obj, err := client.Resource(factDeployments()).Namespace("kube-system").Get(t.Context(), "coredns", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, "coredns", obj.Name)
	assert.Contains(t, rec.Requests(check.Match{})[0].Accept, "as=PartialObjectMetadata")
}

func TestFactTheGarbageCollectorUsesTheMetadataClient(t *testing.T) {
	module := filepath.Join("..", "cmd", "controlplane")
	for _, controller := range []string{"garbagecollector", "namespace/deletion"} {
		list := exec.CommandContext(t.Context(), "go", "list", "-C", module, "-f", `{{join .Imports "\n"}}`,
			"k8s.io/kubernetes/pkg/controller/"+controller)
		list.Env = append(os.Environ(), "GOPROXY=off")
		out, err := list.Output()
		if err != nil {
			t.Skipf("the sources of the control plane are not on this machine: %v", err)
		}
		imports := strings.Fields(string(out))
		assert.Contains(t, imports, "k8s.io/client-go/metadata", controller)
		assert.NotContains(t, imports, "k8s.io/client-go/dynamic", controller)
	}
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// patience bounds every wait of these tests; it is for slow machines.
const patience = 2 * time.Minute

// process is a control plane under test.
type process struct {
	dir        string
	kubeconfig string
	binary     string
	cmd        *exec.Cmd
	ended      chan error
}

// TestServe starts the real program. It is one test with one server, because
// a start costs seconds; parts that stop the server come last.
func TestServe(t *testing.T) {
	if testing.Short() {
		t.Skip("-short is set, and this starts a control plane")
	}
	dir := filepath.Join(t.TempDir(), "a directory", "that is", strings.Repeat("deep", 30))
	p := &process{dir: dir, kubeconfig: filepath.Join(dir, "out", "kubeconfig"), binary: binary(t)}
	p.start(t)
	t.Cleanup(func() {
		if t.Failed() {
			if log, err := os.ReadFile(p.log()); err == nil {
				t.Logf("log of the control plane:\n%s", log)
			}
		}
		if p.cmd.ProcessState == nil {
			_ = p.cmd.Process.Kill()
			<-p.ended
		}
	})
	config, client := p.client(t)

	t.Run("service accounts", func(t *testing.T) {
		for _, namespace := range []string{"default", workshopNamespace} {
			if err := checkServiceAccount(t.Context(), client, namespace); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("version", func(t *testing.T) { checkVersion(t, client) })
	t.Run("deployment", func(t *testing.T) { checkRollout(t, client) })
	t.Run("cluster DNS", func(t *testing.T) { checkDNS(t, client) })
	t.Run("garbage collection", func(t *testing.T) { checkCollection(t, client) })
	t.Run("job", func(t *testing.T) { checkJob(t, client) })
	t.Run("custom resource", func(t *testing.T) { checkCustomResource(t, config) })
	t.Run("aggregated API", func(t *testing.T) { checkDeadAPIService(t, config) })
	t.Run("service account token", func(t *testing.T) { checkToken(t, config, client) })
	t.Run("namespace deletion", func(t *testing.T) { checkNamespaceDeletion(t, client) })
	t.Run("anonymous", func(t *testing.T) { checkAnonymous(t, config) })
	t.Run("audit", func(t *testing.T) { checkAudit(t, p, client) })
	t.Run("listeners", func(t *testing.T) { checkListeners(t, p) })
	t.Run("private files", func(t *testing.T) { checkPrivate(t, p) })
	t.Run("second serve", func(t *testing.T) { checkSecondServe(t, p) })
	t.Run("kill", func(t *testing.T) { checkKill(t, p) })
	t.Run("stop", func(t *testing.T) { checkStop(t, p) })
}

// binary builds the program as it is shipped, unless one is given.
func binary(t *testing.T) string {
	t.Helper()
	if given := os.Getenv("CONTROLPLANE_BINARY"); given != "" {
		return given
	}
	out := filepath.Join(t.TempDir(), "controlplane")
	build := exec.CommandContext(t.Context(), "./go.sh", "build", "-o", out, ".")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, output)
	}
	return out
}

func (p *process) log() string { return filepath.Join(p.dir, "log") }

// start runs the program until it reports itself ready.
func (p *process) start(t *testing.T) {
	t.Helper()
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(p.log())
	if err != nil {
		t.Fatal(err)
	}
	p.cmd = exec.Command(p.binary, "serve", "--dir", p.dir, "--kubeconfig", p.kubeconfig)
	p.cmd.Stderr = log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	log.Close()
	p.ended = make(chan error, 1)
	go func(cmd *exec.Cmd, ended chan<- error) { ended <- cmd.Wait() }(p.cmd, p.ended)
	begin := time.Now()
	until(t, "the control plane is ready", func(context.Context) (bool, error) {
		select {
		case err := <-p.ended:
			return false, fmt.Errorf("the control plane ended: %w", err)
		default:
		}
		s := p.status(t)
		return s.PID == p.cmd.Process.Pid && s.Phase == phaseReady, nil
	})
	t.Logf("ready after %v", time.Since(begin).Round(10*time.Millisecond))
}

// status reads status.json; it is zero when there is none.
func (p *process) status(t *testing.T) status {
	t.Helper()
	var s status
	data, err := os.ReadFile(filepath.Join(p.dir, "status.json"))
	if os.IsNotExist(err) {
		return s
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func (p *process) client(t *testing.T) (*rest.Config, *kubernetes.Clientset) {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", p.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return config, client
}

// until waits for a condition; an error of it ends the wait.
func until(t *testing.T, what string, holds wait.ConditionWithContextFunc) {
	t.Helper()
	if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true, holds); err != nil {
		t.Fatalf("waiting until %s: %v", what, err)
	}
}

func checkVersion(t *testing.T, client kubernetes.Interface) {
	version, err := client.Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	// buildflags.txt sets the version, and go.mod is what was compiled.
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`k8s\.io/kubernetes (v1\.(\d+)\.\S+)`).FindStringSubmatch(string(mod))
	if want == nil || version.GitVersion != want[1] || version.Minor != want[2] {
		t.Errorf("server says %+v, want %v", version, want)
	}
}

func deploymentOf(name string, replicas int32) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx"}}},
			},
		},
	}
}

// checkRollout also looks at what an informer would see of the pods: Pending,
// Running, Terminating, gone.
func checkRollout(t *testing.T, client kubernetes.Interface) {
	pods, err := client.CoreV1().Pods(workshopNamespace).Watch(t.Context(), metav1.ListOptions{LabelSelector: "app=web"})
	if err != nil {
		t.Fatal(err)
	}
	defer pods.Stop()
	deployments := client.AppsV1().Deployments(workshopNamespace)
	if _, err := deployments.Create(t.Context(), deploymentOf("web", 3), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the deployment is available", func(ctx context.Context) (bool, error) {
		d, err := deployments.Get(ctx, "web", metav1.GetOptions{})
		return err == nil && d.Status.AvailableReplicas == 3, err
	})
	if err := deployments.Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	seen := map[string][]string{}
	gone := 0
	deadline := time.After(patience)
	for gone < 3 {
		select {
		case event := <-pods.ResultChan():
			pod, ok := event.Object.(*corev1.Pod)
			if !ok {
				t.Fatalf("unexpected event %+v", event)
			}
			state := string(pod.Status.Phase)
			if pod.DeletionTimestamp != nil {
				state = "Terminating"
			}
			if event.Type == "DELETED" {
				state = "gone"
				gone++
			}
			if states := seen[pod.Name]; len(states) == 0 || states[len(states)-1] != state {
				seen[pod.Name] = append(states, state)
			}
		case <-deadline:
			t.Fatalf("pods did not end, seen %v", seen)
		}
	}
	for name, states := range seen {
		if want := []string{"Pending", "Running", "Terminating", "gone"}; !slices.Equal(states, want) {
			t.Errorf("pod %s went through %v, want %v", name, states, want)
		}
	}
}

func checkDNS(t *testing.T, client kubernetes.Interface) {
	until(t, "coredns is available", func(ctx context.Context) (bool, error) {
		d, err := client.AppsV1().Deployments("kube-system").Get(ctx, "coredns", metav1.GetOptions{})
		return err == nil && d.Status.AvailableReplicas == 2, err
	})
	pods, err := client.CoreV1().Pods("kube-system").List(t.Context(), metav1.ListOptions{LabelSelector: "k8s-app=kube-dns"})
	if err != nil {
		t.Fatal(err)
	}
	if len(pods.Items) != 2 {
		t.Errorf("found %d pods with label k8s-app=kube-dns, want 2", len(pods.Items))
	}
	until(t, "kube-dns has endpoints", func(ctx context.Context) (bool, error) {
		slices, err := client.DiscoveryV1().EndpointSlices("kube-system").List(ctx,
			metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=kube-dns"})
		return err == nil && len(slices.Items) == 1 && len(slices.Items[0].Endpoints) == 2, err
	})
}

// checkCollection deletes a Service that owns an Ingress.
func checkCollection(t *testing.T, client kubernetes.Interface) {
	service, err := client.CoreV1().Services(workshopNamespace).Create(t.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "owner"},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ingresses := client.NetworkingV1().Ingresses(workshopNamespace)
	_, err = ingresses.Create(t.Context(), &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{
			Name:            "owned",
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Service", Name: service.Name, UID: service.UID}},
		},
		Spec: networkingv1.IngressSpec{DefaultBackend: &networkingv1.IngressBackend{
			Service: &networkingv1.IngressServiceBackend{Name: "owner", Port: networkingv1.ServiceBackendPort{Number: 80}},
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.CoreV1().Services(workshopNamespace).Delete(t.Context(), "owner", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the owned ingress is collected", func(ctx context.Context) (bool, error) {
		_, err := ingresses.Get(ctx, "owned", metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
}

func checkJob(t *testing.T, client kubernetes.Interface) {
	jobs := client.BatchV1().Jobs(workshopNamespace)
	_, err := jobs.Create(t.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "work"},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "work", Image: "busybox"}},
		}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the job completes", func(ctx context.Context) (bool, error) {
		job, err := jobs.Get(ctx, "work", metav1.GetOptions{})
		return err == nil && job.Status.CompletionTime != nil && job.Status.Succeeded == 1, err
	})
	background := metav1.DeletePropagationBackground
	if err := jobs.Delete(t.Context(), "work", metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		t.Fatal(err)
	}
	until(t, "the job's pod is gone", func(ctx context.Context) (bool, error) {
		pods, err := client.CoreV1().Pods(workshopNamespace).List(ctx, metav1.ListOptions{LabelSelector: batchv1.JobNameLabel + "=work"})
		return err == nil && len(pods.Items) == 0, err
	})
}

func object(fields map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: fields}
}

// checkCustomResource defines one and collects an object of it with its owner.
func checkCustomResource(t *testing.T, config *rest.Config) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	crds := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	_, err = crds.Create(t.Context(), object(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "guests.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced",
			"names": map[string]any{"plural": "guests", "singular": "guest", "kind": "Guest"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object",
					"properties": map[string]any{"spec": map[string]any{
						"type": "object",
						"properties": map[string]any{"age": map[string]any{
							"type":                     "integer",
							"x-kubernetes-validations": []any{map[string]any{"rule": "self >= 18", "message": "too young"}},
						}},
					}},
				}},
			}},
		},
	}), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	guests := client.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1",
		Resource: "guests"}).Namespace(workshopNamespace)
	guest := func(name string, age int64, owners ...any) *unstructured.Unstructured {
		return object(map[string]any{
			"apiVersion": "example.com/v1", "kind": "Guest",
			"metadata": map[string]any{"name": name, "ownerReferences": owners},
			"spec":     map[string]any{"age": age},
		})
	}
	var host *unstructured.Unstructured
	until(t, "the custom resource is served", func(ctx context.Context) (bool, error) {
		host, err = guests.Create(ctx, guest("host", 30), metav1.CreateOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	})
	if _, err := guests.Create(t.Context(), guest("child", 7), metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("an object that breaks a rule got error %v, want invalid", err)
	}
	owner := map[string]any{"apiVersion": "example.com/v1", "kind": "Guest", "name": "host", "uid": string(host.GetUID())}
	if _, err := guests.Create(t.Context(), guest("friend", 30, owner), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := guests.Delete(t.Context(), "host", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the owned custom object is collected", func(ctx context.Context) (bool, error) {
		_, err := guests.Get(ctx, "friend", metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
	if err := crds.Delete(t.Context(), "guests.example.com", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// checkDeadAPIService registers an aggregated API that nobody serves.
func checkDeadAPIService(t *testing.T, config *rest.Config) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	services := client.Resource(schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"})
	_, err = services.Create(t.Context(), object(map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
		"metadata": map[string]any{"name": "v1.dead.example.com"},
		"spec": map[string]any{
			"group": "dead.example.com", "version": "v1", "groupPriorityMinimum": int64(1000), "versionPriority": int64(15),
			"insecureSkipTLSVerify": true,
			"service":               map[string]any{"namespace": workshopNamespace, "name": "dead"},
		},
	}), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the API service is reported unavailable", func(ctx context.Context) (bool, error) {
		service, err := services.Get(ctx, "v1.dead.example.com", metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		conditions, _, err := unstructured.NestedSlice(service.Object, "status", "conditions")
		return len(conditions) == 1 && conditions[0].(map[string]any)["status"] == "False", err
	})
	if err := services.Delete(t.Context(), "v1.dead.example.com", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// checkToken fills a token Secret and uses it: the account is known, and RBAC
// grants it nothing.
func checkToken(t *testing.T, config *rest.Config, client kubernetes.Interface) {
	secrets := client.CoreV1().Secrets(workshopNamespace)
	_, err := secrets.Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "token", Annotations: map[string]string{corev1.ServiceAccountNameKey: "default"}},
		Type:       corev1.SecretTypeServiceAccountToken,
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	limited := rest.AnonymousClientConfig(config)
	until(t, "the token is made", func(ctx context.Context) (bool, error) {
		secret, err := secrets.Get(ctx, "token", metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		limited.BearerToken = string(secret.Data[corev1.ServiceAccountTokenKey])
		return limited.BearerToken != "", nil
	})
	account, err := kubernetes.NewForConfig(limited)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := account.CoreV1().Pods(workshopNamespace).List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a service account without rights got %v, want forbidden", err)
	}
	until(t, "the role view has rules", func(ctx context.Context) (bool, error) {
		role, err := client.RbacV1().ClusterRoles().Get(ctx, "view", metav1.GetOptions{})
		return err == nil && len(role.Rules) > 0, err
	})
}

// checkNamespaceDeletion empties a namespace with running pods, a stranded pod
// and a volume claim, each of which could hold it back for ever.
func checkNamespaceDeletion(t *testing.T, client kubernetes.Interface) {
	const name = "leaving"
	if err := ensureNamespace(t.Context(), client, name); err != nil {
		t.Fatal(err)
	}
	until(t, "the namespace has its account", func(ctx context.Context) (bool, error) {
		return checkServiceAccount(ctx, client, name) == nil, nil
	})
	if _, err := client.AppsV1().Deployments(name).Create(t.Context(), deploymentOf("web", 2), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	stranded := pod("stranded", on("no-such-node"))
	stranded.Namespace, stranded.UID = name, ""
	brief := int64(1)
	stranded.Spec.TerminationGracePeriodSeconds = &brief
	if _, err := client.CoreV1().Pods(name).Create(t.Context(), stranded, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "claim"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: deploymentCapacity()},
		},
	}
	if _, err := client.CoreV1().PersistentVolumeClaims(name).Create(t.Context(), claim, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := client.CoreV1().Namespaces().Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the namespace is gone", func(ctx context.Context) (bool, error) {
		_, err := client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
}

func deploymentCapacity() corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceStorage: nodeStatus(corev1.NodeStatus{}, metav1.Now()).Capacity[corev1.ResourceMemory]}
}

func checkAnonymous(t *testing.T, config *rest.Config) {
	client, err := rest.HTTPClientFor(rest.AnonymousClientConfig(config))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/version", "/api/v1/pods", "/healthz"} {
		response, err := client.Get(config.Host + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusUnauthorized {
			t.Errorf("GET %s without credentials: got %s, want 401", path, response.Status)
		}
	}
}

// checkAudit looks for one user's request, with its body.
func checkAudit(t *testing.T, p *process, client kubernetes.Interface) {
	marked := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "audited"}, Data: map[string]string{"key": "seen-in-the-audit-log"}}
	if _, err := client.CoreV1().ConfigMaps(workshopNamespace).Create(t.Context(), marked, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().ConfigMaps(workshopNamespace).Get(t.Context(), "audited", metav1.GetOptions{}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(p.dir, "audit", "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	verbs := map[string]int{}
	for line := range strings.Lines(string(data)) {
		var event auditv1.Event
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("parse audit line %s: %v", line, err)
		}
		if event.User.Username == "system:apiserver" && slices.Contains([]string{"get", "list", "watch"}, event.Verb) {
			t.Errorf("the control plane's own read was kept: %s", line)
		}
		if event.ObjectRef == nil || event.ObjectRef.Name != "audited" || event.User.Username != "workshop-admin" {
			continue
		}
		verbs[event.Verb]++
		if event.Verb == "create" && (event.RequestObject == nil || !strings.Contains(string(event.RequestObject.Raw), "seen-in-the-audit-log")) {
			t.Errorf("the request's body is missing: %s", line)
		}
	}
	if verbs["create"] != 1 || verbs["get"] != 1 {
		t.Errorf("found %v of the user's requests, want one create and one get", verbs)
	}
}

// checkListeners reads what the kernel says about the process's sockets.
func checkListeners(t *testing.T, p *process) {
	if runtime.GOOS != "linux" {
		t.Skip("this reads sockets in /proc, which only Linux has")
	}
	inodes := map[string]bool{}
	files := fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid)
	entries, err := os.ReadDir(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		link, err := os.Readlink(filepath.Join(files, entry.Name()))
		if err == nil && strings.HasPrefix(link, "socket:[") {
			inodes[strings.TrimSuffix(strings.TrimPrefix(link, "socket:["), "]")] = true
		}
	}
	_, port, err := net.SplitHostPort(strings.TrimPrefix(p.status(t).URL, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, table := range []string{"tcp", "tcp6", "udp", "udp6", "unix"} {
		data, err := os.ReadFile("/proc/net/" + table)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			fields := strings.Fields(line)
			inode := 9
			if table == "unix" {
				inode = 6
			}
			if len(fields) <= inode || !inodes[fields[inode]] {
				continue
			}
			if table == "tcp" && fields[3] != "0A" { // not listening
				continue
			}
			var number int
			if _, err := fmt.Sscanf(fields[1], "0100007F:%X", &number); err != nil || table != "tcp" || fmt.Sprint(number) != port {
				t.Errorf("unexpected %s socket: %s", table, line)
				continue
			}
			found++
		}
	}
	if found != 1 {
		t.Errorf("found %d listeners on the API server's port, want 1", found)
	}
}

// checkPrivate makes sure that no other user can reach etcd's data, a key or the
// audit log.
func checkPrivate(t *testing.T, p *process) {
	err := filepath.WalkDir(p.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSocket != 0 {
			t.Errorf("there is a socket: %s", path)
		}
		if entry.IsDir() && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("directory %s has mode %o: others may enter", path, info.Mode().Perm())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(p.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the kubeconfig has mode %o, want 600", info.Mode().Perm())
	}
}

func checkSecondServe(t *testing.T, p *process) {
	before := p.status(t)
	output, err := exec.CommandContext(t.Context(), p.binary, "serve", "--dir", p.dir, "--kubeconfig", p.kubeconfig).CombinedOutput()
	if err == nil || !strings.Contains(string(output), "another control plane is running") {
		t.Errorf("a second serve on the same directory: got %v and %q", err, output)
	}
	if p.status(t) != before {
		t.Error("a second serve changed the status of the first")
	}
}

// checkKill kills the process during writes. What was acknowledged must be there
// afterwards, under the same kubeconfig.
func checkKill(t *testing.T, p *process) {
	before, err := os.ReadFile(p.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	_, client := p.client(t)
	acknowledged := make(chan []string)
	go func() {
		var names []string
		for i := 0; ; i++ {
			name := fmt.Sprintf("written-%d", i)
			_, err := client.CoreV1().ConfigMaps(workshopNamespace).Create(context.Background(),
				&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
			if err != nil {
				acknowledged <- names
				return
			}
			names = append(names, name)
		}
	}()
	time.Sleep(time.Second)
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-p.ended
	names := <-acknowledged
	p.start(t)
	for _, name := range names {
		if _, err := client.CoreV1().ConfigMaps(workshopNamespace).Get(t.Context(), name, metav1.GetOptions{}); err != nil {
			t.Errorf("acknowledged object is missing after kill: %v", err)
		}
	}
	t.Logf("%d objects were acknowledged before the kill", len(names))
	if len(names) == 0 {
		t.Error("nothing was written before the kill")
	}
	after, err := os.ReadFile(p.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) {
		t.Error("the kubeconfig changed")
	}
}

// checkStop stops the process while a watch is open.
func checkStop(t *testing.T, p *process) {
	_, client := p.client(t)
	watch, err := client.CoreV1().Pods("").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	begin := time.Now()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-p.ended:
		if err != nil {
			t.Errorf("stop: %v", err)
		}
		t.Logf("stopped after %v", time.Since(begin).Round(10*time.Millisecond))
	case <-time.After(20 * time.Second):
		t.Error("still running 20 s after SIGTERM")
	}
}

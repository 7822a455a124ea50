package completeness

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"example.com/client-go-workshop/internal/cluster/namespacelease"
	"example.com/client-go-workshop/internal/course"
	"example.com/client-go-workshop/internal/gosource"
)

// clusterScoped are the kinds that lie in no namespace, as far as chapters make them.
var clusterScoped = []string{"APIService", "ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "IngressClass", "Namespace",
	"Node", "PersistentVolume"}

// neverKept are kinds that are sent to the server and no object of it.
var neverKept = []string{"Binding", "Eviction"}

// madeKinds wants every kind that a chapter's program or checks make to be removed
// from the namespace of a user who has only one, before the next check.
func (l *list) madeKinds(c *course.Course) {
	for _, ch := range c.Chapters {
		made, err := kindsMade(ch)
		if err != nil {
			l.fail(c.Root, err)
			continue
		}
		for _, m := range made {
			resource, _ := meta.UnsafeGuessKindToResource(m.kind)
			if !slices.Contains(namespacelease.Removes(), resource.GroupResource()) {
				l.add("%s: %s makes a %s, which internal/cluster/namespacelease does not remove from a namespace", ch.ID, m.at, m.kind.Kind)
			}
		}
	}
}

// made is an object of a kind where the source makes it.
type made struct {
	kind schema.GroupVersionKind
	at   string
}

// kindsMade finds the objects with metadata that the solution and the checks of a
// chapter write down, each kind once.
func kindsMade(ch course.Chapter) ([]made, error) {
	var all []made
	for _, pattern := range []string{filepath.Join(ch.SolutionDir, "*.go"), filepath.Join(ch.Dir, "check*_test.go")} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("find the files of %s: %w", ch.ID, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("look for objects: %w", err)
			}
			s, err := gosource.Parse(course.Relative(ch.Root(), file), text)
			if err != nil {
				return nil, err
			}
			for _, m := range objects(s) {
				if !slices.ContainsFunc(all, func(other made) bool { return other.kind == m.kind }) {
					all = append(all, m)
				}
			}
		}
	}
	return all, nil
}

// objects are the composite literals of namespaced API types that have metadata.
func objects(s *gosource.Source) []made {
	var all []made
	ast.Inspect(s.File, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || !hasMetadata(lit) {
			return true
		}
		if kind, ok := apiKind(s, lit.Type); ok && !slices.Contains(clusterScoped, kind.Kind) && !slices.Contains(neverKept, kind.Kind) {
			all = append(all, made{kind, s.At(lit.Pos())})
		}
		return true
	})
	return all
}

func hasMetadata(lit *ast.CompositeLit) bool {
	return slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return false
		}
		key, ok := kv.Key.(*ast.Ident)
		return ok && key.Name == "ObjectMeta"
	})
}

// apiKind is the kind of a type of k8s.io/api that has one of its own.
func apiKind(s *gosource.Source, typ ast.Expr) (schema.GroupVersionKind, bool) {
	sel, ok := typ.(*ast.SelectorExpr)
	if !ok {
		return schema.GroupVersionKind{}, false
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return schema.GroupVersionKind{}, false
	}
	for kind, known := range scheme.Scheme.AllKnownTypes() {
		if kind.Kind == sel.Sel.Name && known.Name() == sel.Sel.Name && gosource.ImportedAs(s,
			known.PkgPath()) == id.Name && strings.HasPrefix(known.PkgPath(), "k8s.io/api/") {
			return kind, true
		}
	}
	return schema.GroupVersionKind{}, false
}

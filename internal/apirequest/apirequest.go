// Package apirequest reads from a request to the API server what RBAC calls it:
// verb, resource, namespace, name. It does what RequestInfoFactory of
// k8s.io/apiserver does, without that module's weight.
package apirequest

import (
	"net/http"
	"strings"
)

// Info is a request in the terms of RBAC.
type Info struct {
	// Verb is get, list, watch, create, update, patch, delete or deletecollection;
	// for a path that is no resource, the HTTP method in lower case.
	Verb string
	// The other fields are empty where the path has none.
	Group, Version, Resource, Namespace, Name, Subresource string
}

// Read returns the Info of a request: see "Request Verbs" in the Kubernetes
// documentation on authorization.
func Read(req *http.Request) Info {
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	info := Info{Verb: strings.ToLower(req.Method)}
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		info.Version, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		info.Group, info.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return info
	}
	if len(parts) >= 3 && parts[0] == "namespaces" && parts[2] != "finalize" && parts[2] != "status" {
		info.Namespace, parts = parts[1], parts[2:]
	}
	parts = append(parts, "", "")
	info.Resource, info.Name, info.Subresource = parts[0], parts[1], parts[2]
	info.Verb = verb(req, info.Name)
	return info
}

func verb(req *http.Request, name string) string {
	switch req.Method {
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodDelete:
		if name == "" {
			return "deletecollection"
		}
	case http.MethodGet, http.MethodHead:
		switch watch := req.URL.Query().Get("watch"); {
		case watch == "true" || watch == "1":
			return "watch"
		case name == "":
			return "list"
		}
		return "get"
	}
	return strings.ToLower(req.Method)
}

// Writes says whether the request may change something.
func (i Info) Writes() bool {
	switch i.Verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return true
	}
	return false
}

// Package procgroup ends a program together with what it has started.
package procgroup

package gosource

import "go/ast"

// DocOf returns a declaration's comment, and the declaration when it is a function.
func DocOf(decl ast.Decl) (*ast.CommentGroup, *ast.FuncDecl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return d.Doc, d
	case *ast.GenDecl:
		return d.Doc, nil
	}
	return nil, nil
}

// DeclaredNames are the names that decl gives to the package, of a method its own name.
func DeclaredNames(decl ast.Decl) []*ast.Ident {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return []*ast.Ident{d.Name}
	case *ast.GenDecl:
		var names []*ast.Ident
		for _, spec := range d.Specs {
			names = append(names, SpecNames(spec)...)
		}
		return names
	}
	return nil
}

// SpecNames are the names that a type, constants or variables have.
func SpecNames(spec ast.Spec) []*ast.Ident {
	switch sp := spec.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{sp.Name}
	case *ast.ValueSpec:
		return sp.Names
	}
	return nil
}

// ReceiverName is the name of a receiver's type, without pointer and type parameters.
func ReceiverName(typ ast.Expr) string {
	switch t := typ.(type) {
	case *ast.StarExpr:
		return ReceiverName(t.X)
	case *ast.ParenExpr:
		return ReceiverName(t.X)
	case *ast.IndexExpr:
		return ReceiverName(t.X)
	case *ast.IndexListExpr:
		return ReceiverName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// Key names a function or method of a package, as "F" or "T.M".
func Key(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	return ReceiverName(fn.Recv.List[0].Type) + "." + fn.Name.Name
}

// Keys are the names that decl gives to the package, of a method its key.
func Keys(decl ast.Decl) []string {
	if fn, ok := decl.(*ast.FuncDecl); ok {
		return []string{Key(fn)}
	}
	var keys []string
	for _, name := range DeclaredNames(decl) {
		keys = append(keys, name.Name)
	}
	return keys
}

// Function finds the function called name: a plain one or a method's key first,
// else the first method of that name.
func Function(sources []*Source, name string) (*Source, *ast.FuncDecl) {
	var in *Source
	var method *ast.FuncDecl
	for _, s := range sources {
		for _, decl := range s.File.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			switch {
			case !ok:
			case Key(fn) == name:
				return s, fn
			case fn.Name.Name == name && method == nil:
				in, method = s, fn
			}
		}
	}
	return in, method
}

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

package starter

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"strconv"

	"example.com/client-go-workshop/internal/gosource"
)

// kind is how the zero value of a type is written.
type kind int

const (
	kindUnknown   kind = iota // a type parameter: only *new(T)
	kindNil                   // nil
	kindNumber                // 0
	kindString                // ""
	kindBool                  // false
	kindComposite             // T{}
)

// scope is where the names of a type expression are looked up.
type scope struct {
	pkg    *gosource.Package
	file   *ast.File
	params map[string]bool
}

// zeros writes zero values of types, which may be those of imported packages.
type zeros struct{ *gosource.Packages }

// zero writes the zero value of typ as it stands in s. A result of a type
// parameter has no better one than its own name, or *new(T) without a name.
func (p zeros) zero(s *gosource.Source, sc scope, typ ast.Expr, name *ast.Ident) (string, error) {
	k, err := p.kindOf(sc, typ, 0)
	if err != nil {
		return "", fmt.Errorf("zero value of %s: %w", s.Of(typ), err)
	}
	switch k {
	case kindNil:
		return "nil", nil
	case kindNumber:
		return "0", nil
	case kindString:
		return `""`, nil
	case kindBool:
		return "false", nil
	case kindComposite:
		return s.Of(typ) + "{}", nil
	}
	if name != nil && name.Name != "_" {
		return name.Name, nil
	}
	return "*new(" + s.Of(typ) + ")", nil
}

// maxTypeDepth bounds how many type declarations are followed.
const maxTypeDepth = 100

// kindOf follows typ to the type that says how its zero value is written.
func (p zeros) kindOf(sc scope, typ ast.Expr, depth int) (kind, error) {
	if depth > maxTypeDepth {
		return kindUnknown, errors.New("the type is declared in a circle")
	}
	switch t := typ.(type) {
	case *ast.ParenExpr:
		return p.kindOf(sc, t.X, depth+1)
	case *ast.IndexExpr:
		return p.kindOf(sc, t.X, depth+1)
	case *ast.IndexListExpr:
		return p.kindOf(sc, t.X, depth+1)
	case *ast.ArrayType:
		if t.Len != nil {
			return kindComposite, nil
		}
		return kindNil, nil
	case *ast.StructType:
		return kindComposite, nil
	case *ast.StarExpr, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType:
		return kindNil, nil
	case *ast.Ident:
		return p.kindOfName(sc, t.Name, depth)
	case *ast.SelectorExpr:
		return p.kindOfImported(sc, t, depth)
	}
	return kindUnknown, fmt.Errorf("unknown form of type %T", typ)
}

// kindOfName looks a name up among type parameters, the package and Go's own types.
func (p zeros) kindOfName(sc scope, name string, depth int) (kind, error) {
	if sc.params[name] {
		return kindUnknown, nil
	}
	if spec, file := typeSpec(sc.pkg, name); spec != nil {
		return p.kindOf(scope{pkg: sc.pkg, file: file}, spec.Type, depth+1)
	}
	switch name {
	case "string":
		return kindString, nil
	case "bool":
		return kindBool, nil
	case "error", "any":
		return kindNil, nil
	case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
		"byte", "rune", "float32", "float64", "complex64", "complex128":
		return kindNumber, nil
	}
	return kindUnknown, fmt.Errorf("type %s is not declared", name)
}

// kindOfImported looks pkg.Name up in the source of the imported package.
func (p zeros) kindOfImported(sc scope, sel *ast.SelectorExpr, depth int) (kind, error) {
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return kindUnknown, errors.New("not a type of a package")
	}
	path, err := p.importPath(sc.file, id.Name)
	if err != nil {
		return kindUnknown, err
	}
	if path == "unsafe" {
		return kindNil, nil
	}
	pkg, err := p.Load(path)
	if err != nil {
		return kindUnknown, err
	}
	spec, file := typeSpec(pkg, sel.Sel.Name)
	if spec == nil {
		return kindUnknown, fmt.Errorf("package %s declares no type %s", path, sel.Sel.Name)
	}
	return p.kindOf(scope{pkg: pkg, file: file}, spec.Type, depth+1)
}

// importPath is the path of the package that file calls name.
func (p zeros) importPath(file *ast.File, name string) (string, error) {
	var unnamed []string
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return "", fmt.Errorf("import %s: %w", spec.Path.Value, err)
		}
		switch {
		case spec.Name != nil && spec.Name.Name == name, spec.Name == nil && gosource.AssumedName(path) == name:
			return path, nil
		case spec.Name == nil:
			unnamed = append(unnamed, path)
		}
	}
	for _, path := range unnamed {
		if pkg, err := p.Load(path); err == nil && pkg.Name == name {
			return path, nil
		}
	}
	return "", fmt.Errorf("no import is called %s", name)
}

// typeSpec finds the declaration of a type at the top level.
func typeSpec(pkg *gosource.Package, name string) (*ast.TypeSpec, *ast.File) {
	for _, file := range pkg.Files {
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				if ts, ok := spec.(*ast.TypeSpec); ok && ts.Name.Name == name {
					return ts, file
				}
			}
		}
	}
	return nil, nil
}

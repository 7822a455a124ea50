// Chapter 02: one step more.
package main

import (
	"fmt"
	"os"

	"example.com/client-go-workshop/internal/todo"
)

// Step 1: say goodbye.
//
// Return "goodbye".
func Goodbye() (string, error) {
	panic(todo.Step(1))
}

func main() {
	text, err := Goodbye()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(text)
}

// Chapter 01: a small program for the tests of the workshop command.
package main

import (
	"fmt"
	"os"

	"example.com/client-go-workshop/internal/todo"
)

// Step 1: say hello.
//
// Return "hello, " and the name.
func Hello(name string) (string, error) {
	panic(todo.Step(1))
}

// Step 2: add two numbers.
//
// Return the sum.
func Add(a, b int) (int, error) {
	panic(todo.Step(2))
}

// Step 3: shout.
//
// Return the text in capitals.
func Shout(text string) (string, error) {
	panic(todo.Step(3))
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(7)
	}
}

func run() error {
	hello, err := Hello(name(os.Args))
	if err != nil {
		return err
	}
	fmt.Println(hello)
	return nil
}

func name(args []string) string {
	if len(args) > 1 {
		return args[1]
	}
	return "you"
}

//workshop:mutant add-subtracts
//workshop:fault  Add takes the second number away
//workshop:step   2
//workshop:want   want 3, got -1

package main

func Add(a, b int) (int, error) {
	return a - b, nil
}

package course

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDistance(t *testing.T) {
	assert.Equal(t, 0, distance("", ""))
	assert.Equal(t, 3, distance("", "abc"))
	assert.Equal(t, 1, distance("listpods", "listpod"))
	assert.Equal(t, 3, distance("kitten", "sitting"))
}

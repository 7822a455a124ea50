package check

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

func TestPanicCauseKnowsTheKindOfPanic(t *testing.T) {
	text := func(panics func()) (text string) {
		defer func() { text = panicCause(fmt.Sprint(recover()), "another") }()
		panics()
		return ""
	}
	var object any = map[string]any{}
	var nilMap map[string]string

	assert.Contains(t, text(func() { runtime.DeepCopyJSONValue(3) }), "int64")
	assert.Contains(t, text(func() { _ = object.(string) }), "type assertion without a second result")
	assert.Contains(t, text(func() { nilMap["a"] = "b" }), "make the map first")
	assert.Contains(t, text(func() { _ = []int{}[len(nilMap)] }), "its length")
	var none any
	assert.Contains(t, text(func() { _ = none.(string) }), "closed channel")
	object = cache.DeletedFinalStateUnknown{}
	assert.Contains(t, text(func() { _ = object.(string) }), "did not see itself")
	assert.Equal(t, "another", text(func() { panic("no") }))
}

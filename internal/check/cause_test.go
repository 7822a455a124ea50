package check

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"k8s.io/apimachinery/pkg/runtime"
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
	assert.Equal(t, "another", text(func() { nilMap["a"] = "b" }))
}

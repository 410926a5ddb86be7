package vectors_test

import (
	"fmt"
	"io/fs"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/vectors"
)

func ExampleLoad() {
	file, err := vectors.Load[string, string]("key_parse.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range file.Vectors[:3] {
		key, err := chatlink.ParseKey(v.Input)
		fmt.Println(v.ID, key, problem.All(err).Codes(), v.Codes)
	}
	// Output:
	// digits 1234 [] []
	// mixed aB3dE6gH [] []
	// three  [key_invalid_format] [key_invalid_format]
}

func ExampleFS() {
	names, err := fs.Glob(vectors.FS(), "bsuid_*.json")
	fmt.Println(names, err)
	// Output: [bsuid_alphanumeric.json bsuid_parse.json] <nil>
}

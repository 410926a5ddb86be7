package vectors

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// NamesFile lists the names and limits that several rooms of the repository repeat. Go decides them.
const NamesFile = "names.json"

// Names returns a list of NamesFile, such as "codes".
func Names(list string) (words []string, err error) {
	lists, err := readNames()
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(lists[list], &words); err != nil {
		return nil, fmt.Errorf("%s of %s: %w", list, NamesFile, err)
	}
	return words, nil
}

// StaleNames returns the lists that NamesFile has otherwise. With update, it writes them instead.
func StaleNames(lists map[string]any, update bool) (stale []string, err error) {
	file, err := readNames()
	if err != nil {
		return nil, err
	}
	for name, list := range lists {
		want, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		var got any
		if json.Unmarshal(file[name], &got) == nil {
			if same, err := json.Marshal(got); err == nil && string(same) == string(want) {
				continue
			}
		}
		file[name] = want
		stale = append(stale, name)
	}
	if !update || len(stale) == 0 {
		return stale, nil
	}
	text, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return nil, err
	}
	return nil, os.WriteFile(filepath.Join(folder(), NamesFile), append(text, '\n'), 0o600)
}

// IsVectors reports whether a JSON file of FS contains vectors.
func IsVectors(name string) bool {
	return name != NamesFile && !strings.HasSuffix(name, ".schema.json")
}

func readNames() (lists map[string]json.RawMessage, err error) {
	text, err := fs.ReadFile(FS(), NamesFile)
	if err != nil {
		return nil, err
	}
	return lists, json.Unmarshal(text, &lists)
}

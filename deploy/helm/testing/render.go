// Renders the chart as Helm does, with Go's text/template and Sprig, where Helm itself is not installed. It covers what this
// chart uses: .Values, .Release, .Chart, include and toYaml. Debian: golang-go, golang-github-masterminds-sprig-dev,
// golang-github-ghodss-yaml-dev.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run deploy/helm/testing/render.go deploy/helm/spillway [values.yaml...]
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"github.com/ghodss/yaml"
)

type object = map[string]interface{}

func read(file string) object {
	text, err := os.ReadFile(file)
	check(err)
	value := object{}
	check(yaml.Unmarshal(text, &value))
	return value
}

func merge(into, from object) {
	for key, value := range from {
		inner, isObject := value.(object)
		target, hasObject := into[key].(object)
		if isObject && hasObject {
			merge(target, inner)
		} else {
			into[key] = value
		}
	}
}

// files is Helm's .Files.
type files string

func (f files) Get(name string) string {
	text, err := os.ReadFile(filepath.Join(string(f), name))
	check(err)
	return string(text)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	folder := os.Args[1]
	values := read(filepath.Join(folder, "values.yaml"))
	for _, file := range os.Args[2:] {
		merge(values, read(file))
	}
	raw := read(filepath.Join(folder, "Chart.yaml"))
	chart := object{"Name": raw["name"], "Version": raw["version"], "AppVersion": raw["appVersion"]}
	root := template.New("chart").Option("missingkey=zero").Funcs(sprig.TxtFuncMap())
	root.Funcs(template.FuncMap{
		"include": func(name string, data interface{}) (string, error) {
			var out bytes.Buffer
			err := root.ExecuteTemplate(&out, name, data)
			return out.String(), err
		},
		"toYaml": func(value interface{}) string {
			text, err := yaml.Marshal(value)
			check(err)
			return strings.TrimSuffix(string(text), "\n")
		},
	})
	names, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	check(err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		check(err)
		_, err = root.New(filepath.Base(name)).Parse(string(text))
		check(err)
	}
	data := object{
		"Values":  values,
		"Chart":   chart,
		"Files":   files(folder),
		"Release": object{"Name": "spillway", "Namespace": "spillway", "Service": "Helm"},
	}
	for _, name := range names {
		base := filepath.Base(name)
		if !strings.HasSuffix(base, ".yaml") {
			continue
		}
		var out bytes.Buffer
		check(root.ExecuteTemplate(&out, base, data))
		if strings.TrimSpace(out.String()) != "" {
			fmt.Printf("---\n# Source: %s/templates/%s\n%s\n", raw["name"], base, strings.Trim(out.String(), "\n"))
		}
	}
}

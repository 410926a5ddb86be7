package serve

import (
	"fmt"
	"strings"
)

// parseEnvironment parses the variables in a file as systemd does (systemd.exec, EnvironmentFile):
// a comment begins with # or ;, a value may be in single or double quotes, and a backslash outside of
// single quotes escapes the next character or joins two lines. Nothing is expanded, and & or ; need
// no quotes. systemd skips a line without an equals sign, which is an error here.
func parseEnvironment(text string) (variables []string, err error) {
	p := envParser{text: strings.ReplaceAll(text, "\r\n", "\n"), line: 1}
	for {
		name, ok := p.name()
		if !ok {
			return variables, p.err
		}
		value := p.value()
		if p.err != nil {
			return nil, p.err
		}
		variables = append(variables, name+"="+value)
	}
}

type envParser struct {
	text string // the rest
	line int
	err  error
}

// next removes and returns a byte, or 0 at the end.
func (p *envParser) next() byte {
	if p.text == "" {
		return 0
	}
	c := p.text[0]
	p.text = p.text[1:]
	if c == '\n' {
		p.line++
	}
	return c
}

// name returns the next variable's name, or false at the end or after an error.
func (p *envParser) name() (string, bool) {
	for p.err == nil && p.text != "" {
		line, _, _ := strings.Cut(p.text, "\n")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';' {
			for isEscaped := false; p.text != ""; { // a backslash joins lines of a comment, too
				c := p.next()
				if c == '\n' && !isEscaped {
					break
				}
				isEscaped = c == '\\' && !isEscaped
			}
			continue
		}
		name, _, found := strings.Cut(line, "=")
		if !found || strings.TrimSpace(name) == "" {
			p.err = fmt.Errorf("line %d isn't a variable such as HAILMARK_ADDR=:8080", p.line)
			break
		}
		p.text = p.text[len(name)+1:]
		return strings.TrimSpace(name), true
	}
	return "", false
}

// value returns the rest of a variable. A quote is one only where the value or another part of it
// begins.
func (p *envParser) value() string {
	begins := p.line
	var value []byte
	kept := 0 // bytes before the white space at the end
	isPlain := false
	for {
		c := p.next()
		switch {
		case c == 0 || c == '\n':
			return string(value[:kept])
		case c == ' ' || c == '\t' || c == '\r':
			if isPlain {
				value = append(value, c)
			}
			continue
		case !isPlain && (c == '\'' || c == '"'):
			value = append(value, p.quoted(c, begins)...)
		case c == '\\':
			isPlain = true
			if c = p.next(); c != '\n' && c != 0 {
				value = append(value, c)
			}
		default:
			isPlain = true
			value = append(value, c)
		}
		kept = len(value)
	}
}

// quoted returns the text before the closing quote.
func (p *envParser) quoted(quote byte, begins int) (text []byte) {
	for p.text != "" {
		c := p.next()
		if c == quote {
			return text
		}
		if c == '\\' && quote == '"' {
			switch c = p.next(); {
			case c == '\n':
				continue
			case !strings.ContainsRune("\"\\`$", rune(c)):
				text = append(text, '\\')
			}
		}
		text = append(text, c)
	}
	p.err = fmt.Errorf("the value in line %d has no closing quote", begins)
	return nil
}

import { describe, expect, it } from "vitest";
import { readYaml } from "./read-yaml.ts";

const problemsOf = (source: string) => readYaml(source).problems.map(({ offset, code }) => [code, offset]);

describe("readYaml", () => {
	it.each([
		["a list", "&a [*a]", 4],
		["a map", "spec: &s { x: { y: *s } }", 19],
		["a key", "&m { ? *m : 1 }", 7],
		["an outer part of an inner anchor", "&a [&b [*a]]", 8],
	])("rejects an alias of %s that contains it, at its place", (_what, source, offset) => {
		expect(problemsOf(source)).toEqual([["CIRCULAR_ALIAS", offset]]);
	});

	it("keeps aliases of earlier parts, also when an anchor's name is used again within itself", () => {
		const { doc } = readYaml("x: &a [1]\ny: *a\nz: &a [&a 2, *a]\n");
		expect(JSON.stringify(doc)).toBe('{"x":[1],"y":[1],"z":[2,2]}');
	});

	it.each(["? [a, b]\n: 1", "{ { a: 1 }: 2 }"])("rejects a list or map as a key: %s", (source) => {
		expect(problemsOf(source)).toEqual([["COLLECTION_KEY", 2]]);
	});

	it("rejects a key that appears twice", () => {
		expect(problemsOf("a: 1\nb: 2\na: 3")).toEqual([["DUPLICATE_KEY", 10]]);
	});
});

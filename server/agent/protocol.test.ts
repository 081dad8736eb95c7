import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileListProblem, pathProblem } from "./protocol.ts";

describe("pathProblem", () => {
	it.each(["model.bin", "deep/er/step-1.ckpt", "..hidden", "a..b", "odd name %2F#?.txt", "ünï/cødé", "back\\slash"])("accepts %j", (p) => {
		expect(pathProblem(p)).toBeNull();
	});

	it.each(["", "/etc/passwd", "..", "../x", "a/../../x", "a//b", "a/", "./a", "a\u0000b", "a\nb", "x".repeat(1_025)])("rejects %j", (p) => {
		expect(pathProblem(p)).not.toBeNull();
	});

	it("accepts no path that leaves the folder", () => {
		const parts = fc.array(fc.oneof(fc.constantFrom("..", ".", "", "/", "a"), fc.string({ maxLength: 5 })), { maxLength: 6 });
		fc.assert(
			fc.property(parts, (p) => {
				const relative = p.join("/");
				if (pathProblem(relative) === null) expect(path.join("/root/folder", relative).startsWith("/root/folder/")).toBe(true);
			}),
		);
	});
});

describe("fileListProblem", () => {
	it.each([
		[["a", "b/c", "b/d", "A", "a.b", "b c"], null],
		[["a", "b", "a"], "must not name a file twice"],
		[["a", "a/b"], 'has "a" as a file and as a folder'],
		[["x/y/z/w", "x/y"], 'has "x/y" as a file and as a folder'],
	])("returns for %j: %j", (paths, problem) => {
		expect(fileListProblem(paths)).toBe(problem);
	});
});

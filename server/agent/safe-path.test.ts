import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createFolderInside, placeUnder, StagingError } from "./safe-path.ts";

let root: string;
beforeEach(async () => {
	root = path.join(await realpath(await mkdtemp(path.join(tmpdir(), "spillway-path-"))), "work");
	await mkdir(root);
});
afterEach(() => rm(path.dirname(root), { recursive: true, force: true }));

it.each([
	["/data", "data"],
	["data/set", "data/set"],
	["//data", "data"],
	["./a/./b", "a/b"],
	["/", ""],
])("places %s below the root", (jobPath, inside) => {
	expect(path.relative(root, placeUnder(root, jobPath))).toBe(inside);
});

it.each(["../x", "/data/../../x", "a\\..\\..\\x", "a\u0000b"])("rejects %j", (jobPath) => {
	expect(() => placeUnder(root, jobPath)).toThrow(StagingError);
});

it("creates folders, also through links that stay inside", async () => {
	await createFolderInside(root, path.join(root, "a", "b"));
	await symlink("a", path.join(root, "inner"));
	await createFolderInside(root, path.join(root, "inner", "c"));
	expect(await realpath(path.join(root, "inner", "c"))).toBe(path.join(root, "a", "c"));
});

it.each([
	["to the parent", ".."],
	["to an absolute path", tmpdir()],
	["to a path that does not exist", "../later"],
])("rejects a link %s", async (_where, target) => {
	await symlink(target, path.join(root, "link"));
	await expect(createFolderInside(root, path.join(root, "link", "x"))).rejects.toThrow(StagingError);
});

it("rejects a sibling with a name that starts like the root", async () => {
	await mkdir(`${root}-other`);
	await symlink(`${root}-other`, path.join(root, "link"));
	await expect(createFolderInside(root, path.join(root, "link", "x"))).rejects.toThrow(/leads out/);
});

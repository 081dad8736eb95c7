import { expect, it } from "vitest";
import { isOptIn, ownersWords } from "./opt-in.ts";

const PLAIN = { argsAreWords: false, hasNoArgs: false };

it.each([
	["spillway:noargs", { ...PLAIN, hasNoArgs: true, checkpoints: null, problems: [] }],
	["spillway", { ...PLAIN, checkpoints: null, problems: [] }],
	["spillway:args", { ...PLAIN, argsAreWords: true, checkpoints: null, problems: [] }],
	["spillway checkpoints=out/ckpt, project 7", { ...PLAIN, checkpoints: { path: "out/ckpt" }, problems: [] }],
	[
		"spillway:args:checkpoints=./ckpt/;every=90s",
		{ ...PLAIN, argsAreWords: true, checkpoints: { path: "ckpt", interval: "90s" }, problems: [] },
	],
	["spillway checkpoints=ckpt [held by Spillway: adp_1 100]", { ...PLAIN, checkpoints: { path: "ckpt" }, problems: [] }],
	["notspillway:args checkpoints=ckpt", { ...PLAIN, checkpoints: null, problems: [] }],
	["project args checkpoints=ckpt", { ...PLAIN, checkpoints: null, problems: [] }],
])("reads %s", (comment, words) => {
	expect(ownersWords(comment)).toEqual(words);
});

it.each(["/abs", "../up", "a/../../b", ".", "", "a$(id)", "$HOME/x"])("does not accept %j as a folder below the working folder", (name) => {
	const { checkpoints, problems } = ownersWords(`spillway checkpoints=${name}`);
	expect(checkpoints).toBeNull();
	expect(problems).toEqual([expect.stringContaining("which is not inside its working folder")]);
});

it("opts in by its first word only", () => {
	expect(["spillway", "spillway,x", "spillways", "x spillway"].map(isOptIn)).toEqual([true, true, false, false]);
});

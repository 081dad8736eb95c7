import { describe, expect, it } from "vitest";
import { actionOfKey, type KeyPress } from "./shortcuts.ts";

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
	key,
	ctrlOrMeta: false,
	alt: false,
	typing: false,
	afterG: false,
	...more,
});

describe("actionOfKey", () => {
	it("opens a screen by g and its letter", () => {
		expect(actionOfKey(press("g"))).toEqual({ kind: "await_screen" });
		expect(actionOfKey(press("j", { afterG: true }))).toEqual({ kind: "go", href: "/jobs" });
		expect(actionOfKey(press("n", { afterG: true }))).toEqual({ kind: "go", href: "/jobs/new" });
	});

	it("ignores a letter alone or an unknown one", () => {
		expect(actionOfKey(press("j"))).toEqual({ kind: "none" });
		expect(actionOfKey(press("x", { afterG: true }))).toEqual({ kind: "none" });
	});

	it("ignores letters while typing", () => {
		for (const key of ["/", "g", "?"]) expect(actionOfKey(press(key, { typing: true }))).toEqual({ kind: "none" });
	});

	it("opens the palette anywhere", () => {
		expect(actionOfKey(press("k", { ctrlOrMeta: true, typing: true }))).toEqual({ kind: "palette" });
		expect(actionOfKey(press("j", { ctrlOrMeta: true }))).toEqual({ kind: "none" });
	});
});

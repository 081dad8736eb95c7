import { expect, it } from "vitest";
import { stripControls } from "./follow-logs.ts";

it("removes terminal escapes and control characters, and keeps text and tabs", () => {
	for (const [written, shown] of [
		["\u001b[31mred\u001b[0m\tend", "red\tend"],
		["\u001b]0;title\u0007after", "after"],
		["\u001b]52;c;cGFzdGU=\u001b\\\\after", "after"],
		["\u001bPdevice\u001b\\\\after", "after"],
		["\u009b31mred", "red"],
		["a\rb\u0008c\u0000d", "abcd"],
		["\u202egpj.exe", "gpj.exe"],
		["loss 0.1 → é 漢", "loss 0.1 → é 漢"],
	] as const)
		expect(stripControls(written.replaceAll("\\\\", "\\"))).toBe(shown);
});

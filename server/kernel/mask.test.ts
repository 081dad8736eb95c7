import { expect, it } from "vitest";
import { maskerOf } from "./mask.ts";

const TOKEN = 'hf_Ab3"x/9+long';

it("masks a secret verbatim, and in its JSON, URL and base64 forms", () => {
	const mask = maskerOf([TOKEN]);
	const forms = [
		TOKEN,
		JSON.stringify({ token: TOKEN }),
		`https://x/?t=${encodeURIComponent(TOKEN)}`,
		Buffer.from(TOKEN).toString("base64"),
	];
	for (const form of forms) expect(mask(`a ${form} b`)).not.toMatch(/hf_Ab3|aGZfQWIz/);
	expect(mask("nothing here")).toBe("nothing here");
});

it("masks each line of a key, and the longer of two secrets first", () => {
	const key = "-----BEGIN KEY-----\nMIIabcdefgh\n-----END KEY-----\n";
	const mask = maskerOf([key, "password1", "password1-longer"]);
	expect(mask("MIIabcdefgh")).toBe("***");
	expect(mask("x password1-longer y password1 z")).toBe("x *** y *** z");
});

import { describe, expect, it } from "vitest";
import { decodeScript } from "./decode.ts";

const utf16 = (text: string): Uint8Array =>
	new Uint8Array([0xff, 0xfe, ...[...text].flatMap((c) => [c.charCodeAt(0) & 255, c.charCodeAt(0) >> 8])]);

describe("decodeScript", () => {
	it.each([
		["utf-8", new TextEncoder().encode("#!/bin/bash # für"), "#!/bin/bash # für"],
		["utf-16le", utf16("#!/bin/bash # für"), "#!/bin/bash # für"],
		["windows-1252", new Uint8Array([0x23, 0x66, 0xfc, 0x72]), "#für"],
	])("%s", (encoding, bytes, text) => {
		expect(decodeScript(bytes)).toEqual({ text, encoding });
	});
});

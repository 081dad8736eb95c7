import { describe, expect, it } from "vitest";
import { takeLines } from "./log-lines.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("takeLines", () => {
	it("leaves an unfinished line for the next read", () => {
		expect(takeLines(bytes("one\ntwo\nthr"), { atEnd: false })).toEqual({ lines: ["one", "two"], usedBytes: 8 });
	});

	it("returns the unfinished line of a stream that ended", () => {
		expect(takeLines(bytes("one\ntwo"), { atEnd: true })).toEqual({ lines: ["one", "two"], usedBytes: 7 });
	});

	it("keeps empty lines and drops the carriage return of a Windows line end", () => {
		expect(takeLines(bytes("\r\n\nx\r\n"), { atEnd: false }).lines).toEqual(["", "", "x"]);
	});

	it("cuts a long line between characters and loses nothing of it", () => {
		const { lines, usedBytes } = takeLines(bytes("aé€😀z\n"), { atEnd: false, lineBytesMax: 5 });
		expect(lines).toEqual(["aé", "€", "😀z"]);
		expect(usedBytes).toBe(12);
	});

	it("does not add an empty line when a line is exactly as long as the limit", () => {
		expect(takeLines(bytes("abcd\nef\n"), { atEnd: false, lineBytesMax: 4 }).lines).toEqual(["abcd", "ef"]);
	});

	it("advances through bytes that are not valid UTF-8", () => {
		const chunk = new Uint8Array(12).fill(0x80);
		expect(takeLines(chunk, { atEnd: true, lineBytesMax: 5 }).usedBytes).toBe(12);
	});

	it("replaces what a database cannot store", () => {
		expect(takeLines(new Uint8Array([0x61, 0x00, 0xff, 0x0a]), { atEnd: false }).lines).toEqual(["a\uFFFD\uFFFD"]);
	});
});

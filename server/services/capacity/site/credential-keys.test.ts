import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { CredentialKeys } from "./credential-keys.ts";

function home(): string {
	const folder = mkdtempSync(path.join(tmpdir(), "spillway-keys-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}
const key = () => randomBytes(32).toString("base64url");

it("creates its key at the first seal, readable only by its owner, and two processes share one", () => {
	const folder = home();
	const [a, b] = [new CredentialKeys({ home: folder }), new CredentialKeys({ home: folder })];
	const box = a.seal("aws", "secret text");
	expect(box).not.toContain("secret");
	expect(statSync(path.join(folder, "credential-keys")).mode & 0o777).toBe(0o600);
	expect(b.open("aws", box)).toBe("secret text");
	expect(b.isOld(box)).toBe(false);
	expect(a.seal("aws", "secret text")).not.toBe(box);
});

it("opens nothing from another row, nothing changed, and nothing without its key, and reveals no secret", () => {
	const keys = new CredentialKeys({ home: home() });
	const box = keys.seal("aws", "secret text");
	const last = box.at(-1) === "A" ? "B" : "A";
	expect(() => keys.open("azure", box)).toThrow(/another site's/);
	expect(() => keys.open("aws", `${box.slice(0, -1)}${last}`)).toThrow(/were changed/);
	const other = new CredentialKeys({ home: "/nonexistent", given: key() });
	expect(() => other.open("aws", box)).toThrow(/their key [0-9a-f]{8} is not in SPILLWAY_CREDENTIAL_KEYS/);
});

it("seals under the first key and opens under all, so that a key can be rotated", () => {
	const folder = home();
	const keys = new CredentialKeys({ home: folder });
	const box = keys.seal("aws", "x");
	const file = path.join(folder, "credential-keys");
	writeFileSync(file, `${key()}\n${readFileSync(file, "utf8")}`);
	expect(keys.isOld(box)).toBe(true);
	expect(keys.open("aws", box)).toBe("x");
	expect(keys.isOld(keys.seal("aws", "x"))).toBe(false);
});

it("rejects a file that others may read, and text that is not a key", () => {
	const folder = home();
	const keys = new CredentialKeys({ home: folder });
	keys.seal("aws", "x");
	const file = path.join(folder, "credential-keys");
	chmodSync(file, 0o644);
	expect(() => keys.seal("aws", "x")).toThrow(/can be read by others/);
	expect(() => new CredentialKeys({ home: folder, given: "too-short" }).seal("aws", "x")).toThrow(/no key/);
});

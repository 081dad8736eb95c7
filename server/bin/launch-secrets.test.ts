import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { SELF_SIGNED } from "#server/services/notification/delivery/testing/certificate.ts";
import { machineNetwork } from "./launch-secrets.ts";

function fileWith(text: string): string {
	const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-authorities-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	const file = path.join(folder, "ca.pem");
	writeFileSync(file, text);
	return file;
}

it("takes only the certificates of the file, with any line ends and text between them", async () => {
	const { cert, key } = SELF_SIGNED;
	const caFile = fileWith(`# our $(authorities)\n${cert.replaceAll("\n", "\r\n")}${key}${cert}`);
	expect(await machineNetwork({ noProxy: [], caFile })).toEqual({ certificates: `${cert}${cert}`.trim() });
});

it.each([
	["no certificate", SELF_SIGNED.key, "contains no certificate"],
	["too many for user-data", SELF_SIGNED.cert.repeat(14), "do not fit into user-data"],
])("rejects a file with %s", async (_what, text, message) => {
	await expect(machineNetwork({ noProxy: [], caFile: fileWith(text) })).rejects.toThrow(message);
});

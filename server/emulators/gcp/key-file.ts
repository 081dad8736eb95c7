import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_ACCOUNT, DEFAULT_PROJECT } from "./options.ts";

/**
 * A key file of the emulated project's service account, in Google's format: GOOGLE_APPLICATION_CREDENTIALS takes its path.
 * Created once. Its key gives access only to this emulator.
 */
export function writeKeyFile(folder: string): string {
	const path = join(folder, "service-account.json");
	if (existsSync(path)) return path;
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const { privateKey } = generateKeyPairSync("rsa", {
		modulusLength: 2_048,
		privateKeyEncoding: { type: "pkcs8", format: "pem" },
		publicKeyEncoding: { type: "spki", format: "pem" },
	});
	const key = { type: "service_account", project_id: DEFAULT_PROJECT, private_key_id: "emulated", private_key: privateKey };
	writeFileSync(path, JSON.stringify({ ...key, client_email: DEFAULT_ACCOUNT }, null, 2), { mode: 0o600 });
	return path;
}

import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { SecretSource, VaultOptions } from "#server/domain/job-secret.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { CredentialKeys } from "#server/services/capacity/site/credential-keys.ts";
import { readVault } from "./vault.ts";

type ExternalSource = Exclude<SecretSource, { kind: "stored" }>;

/** Where secret values are stored: sealed in the database, or outside. */
export interface SecretStore {
	keys: CredentialKeys;
	/** @throws SpillwayError `unavailable` when it may work later, else `precondition_failed` */
	read(team: string, source: ExternalSource): Promise<string>;
}

export interface SecretStoreOptions {
	SPILLWAY_HOME: string;
	SPILLWAY_CREDENTIAL_KEYS?: string | undefined;
	/** Folder with one folder per team. */
	SPILLWAY_SECRET_FILES?: string | undefined;
	SPILLWAY_VAULT?: VaultOptions | undefined;
}

const FILE_BYTES_MAX = 128 * 1024;

export function secretStore(options: SecretStoreOptions): SecretStore {
	return {
		keys: new CredentialKeys({ home: options.SPILLWAY_HOME, given: options.SPILLWAY_CREDENTIAL_KEYS }),
		read: (team, source) =>
			source.kind === "file"
				? readSecretFile(options.SPILLWAY_SECRET_FILES, team, source.path)
				: readVault(options.SPILLWAY_VAULT, team, source),
	};
}

/** A trailing line break, as left by editors and `kubectl create secret`, is not part of the value. */
async function readSecretFile(root: string | undefined, team: string, relative: string): Promise<string> {
	if (root === undefined)
		throw new SpillwayError("precondition_failed", "This server has no folder for secret files.", { fix: "Set SPILLWAY_SECRET_FILES." });
	const file = path.join(root, team, relative);
	const problem = (why: string) =>
		new SpillwayError("precondition_failed", `Could not read the secret file ${file}: ${why}.`, {
			fix: "Make sure that it exists and that Spillway's user can read it.",
		});
	try {
		const found = await stat(file);
		if (!found.isFile()) throw problem("it is no regular file");
		if (found.size > FILE_BYTES_MAX) throw problem(`it is larger than ${FILE_BYTES_MAX} bytes`);
		return (await readFile(file, "utf8")).replace(/\r?\n$/, "");
	} catch (cause) {
		if (cause instanceof SpillwayError) throw cause;
		throw problem(cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error");
	}
}

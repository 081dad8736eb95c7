import { z } from "zod";
import * as value from "./schema/values.ts";

/** Limits on secrets. */
export const SECRET_LIMITS = {
	perJob: 32,
	perTeam: 200,
	/** Masking shorter texts in logs would mask ordinary words too. */
	valueCharactersMin: 8,
	valueCharactersMax: 32 * 1024,
} as const;

/** A secret of the job's team, passed to the command as a variable or as a file in SPILLWAY_SECRETS_DIR. */
export type SecretRef = { name: string; env: string } | { name: string; file: string };

/** Values by variable and by file name, as delivered to an attempt. */
export interface DeliveredSecrets {
	env: Record<string, string>;
	files: Record<string, string>;
}

/**
 * Where a secret's value is stored. `file` and `vault` are read when an attempt starts. Their paths are below the
 * team's own folder, so that no team can reference another's secrets.
 */
export type SecretSource = { kind: "stored" } | { kind: "file"; path: string } | { kind: "vault"; path: string; key: string };

/** A secret's file name, without folders. */
export const secretFileName = z
	.string()
	.regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/, "must be a file name of letters, digits, dots, dashes and underscores, without folders");

/** A relative path below the team's folder. */
export const secretPath = value
	.line(256)
	.refine(
		(path) => path.split("/").every((part) => part !== "" && part !== "." && part !== ".."),
		'must be relative, without empty parts, "." and ".."',
	);

/** Why a text cannot be a secret, or null. */
export function secretValueProblem(text: string): string | null {
	const { valueCharactersMin: min, valueCharactersMax: max } = SECRET_LIMITS;
	if (text.includes("\u0000") || !text.isWellFormed()) return "must not contain NUL or broken Unicode characters";
	if (text.length < min) return `must have at least ${min} characters, so that it can be masked in logs`;
	return text.length > max ? `must have at most ${max} characters` : null;
}

/** How this server reads a HashiCorp Vault or OpenBao, from SPILLWAY_VAULT. */
export const vaultOptionsSchema = z.strictObject({
	/** For example https://vault.example.com:8200. */
	address: z.url({ protocol: /^https?$/ }),
	/** Mount of a KV engine of version 2. */
	mount: z
		.string()
		.regex(/^[A-Za-z0-9._/-]+$/)
		.default("secret"),
	/** Path of a team's secrets below the mount; `{team}` is the team's name. */
	path: z
		.string()
		.refine((text) => text.includes("{team}"), "must contain {team}, so that no team can read another's secrets")
		.default("spillway/{team}"),
	/** Read again on each use, so that a Vault agent can renew it. */
	tokenFile: z.string().min(1),
	namespace: z.string().min(1).optional(),
});
export type VaultOptions = z.output<typeof vaultOptionsSchema>;

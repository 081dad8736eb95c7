import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { addSiteInput, changeSiteInput, checkSiteInput, credentialsInput } from "#server/contract/inputs/capacity.ts";
import type { CredentialSource } from "#server/db/schema/site.ts";
import { type FieldProblem, SpillwayError } from "#server/kernel/errors.ts";
import type { SiteKind } from "#server/providers/site-kind.ts";
import type { SiteRow } from "./row.ts";
import type { SiteTools } from "./tools.ts";

export type CredentialsInput = z.infer<typeof credentialsInput>;
export type AddSiteInput = z.input<typeof addSiteInput>;
export type ChangeSiteInput = z.input<typeof changeSiteInput>;
export type CheckSiteInput = z.input<typeof checkSiteInput>;

/** @throws SpillwayError `invalid_input` for a provider that people cannot connect. */
export function kindOf({ kinds }: Pick<SiteTools, "kinds">, provider: string): SiteKind {
	const kind = kinds.find((k) => k.provider === provider);
	if (kind) return kind;
	throw new SpillwayError("invalid_input", `Sites of ${provider} cannot be added or changed here.`, {
		fields: [{ path: "provider", message: `one of ${kinds.map((k) => k.provider).join(", ")}` }],
		...(provider === "local"
			? { fix: "The local site is this host. To allow it, set SPILLWAY_LOCAL_SLOTS to its number of GPUs and restart Spillway." }
			: {}),
	});
}

/** @throws SpillwayError `invalid_input` naming each wrong setting, as `settings.…` */
export function validateSettings(kind: SiteKind, given: Record<string, unknown>, before: Record<string, unknown> | null = null): void {
	const problems = problemsOf(kind.settings.safeParse(given, WITH_INPUT), "settings");
	// Permission to add a site must not allow running programs on the server.
	const known = before === null ? {} : kind.guarded(before);
	for (const [name, value] of Object.entries(kind.guarded(given)))
		if (!isDeepStrictEqual(known[name], value))
			problems.push({ path: `settings.${name}`, message: "can only be set in the database by an operator" });
	refuse(`Invalid settings for ${kind.title}`, problems);
}

/**
 * Stored credentials can be written but never read back, not even by pointing them at the reader's own address: a changed address requires
 * entering them again. @throws SpillwayError `invalid_input`
 */
export function requireSameAddress(
	kind: SiteKind,
	row: Pick<SiteRow, "settings" | "credentialSource">,
	settingsOfSite: Record<string, unknown>,
): void {
	if (row.credentialSource?.kind !== "stored" || isDeepStrictEqual(kind.sentTo(row.settings), kind.sentTo(settingsOfSite))) return;
	refuse("Stored credentials cannot be used with a new address", [
		{ path: "credentials", message: "must be entered again for the new address" },
	]);
}

/** The data to store: the source, and for `stored` the values in the form their driver takes. */
export function validateCredentials(
	kind: SiteKind,
	given: CredentialsInput,
	settingsOfSite: Record<string, unknown>,
): { source: CredentialSource; values: Record<string, unknown> | null } {
	if (given.kind === "chain") {
		// Slurm has no default chain: without stored credentials the settings name a file.
		if (kind.provider === "slurm" && settingsOfSite["token"] === undefined)
			refuse("The site has no token", [
				{ path: "settings.token", message: "must name a token file, unless a token is stored as the site's credentials" },
			]);
		return { source: given, values: null };
	}
	if (kind.credentials === null)
		throw new SpillwayError("invalid_input", `Sites of ${kind.title} have no credentials.`, {
			fields: [{ path: "credentials", message: "must be left out" }],
		});
	if (given.kind !== "stored") return { source: given, values: null };
	const parsed = kind.credentials.safeParse(given.values, WITH_INPUT);
	refuse(`These credentials are not as ${kind.title} gives them`, problemsOf(parsed, "credentials"));
	return { source: { kind: "stored" }, values: parsed.success ? parsed.data : null };
}

/** The current value distinguishes a field of another type from a missing one. */
const WITH_INPUT = { reportInput: true };

function problemsOf(result: z.ZodSafeParseResult<unknown>, root: string): FieldProblem[] {
	if (result.success) return [];
	return result.error.issues.flatMap((issue): FieldProblem[] =>
		issue.code === "unrecognized_keys"
			? issue.keys.map((key) => ({ path: [root, ...issue.path, key].join("."), message: "is not a known field" }))
			: [
					{
						path: [root, ...issue.path].join("."),
						message: issue.code === "invalid_type" && issue.input === undefined ? "is missing" : issue.message,
					},
				],
	);
}

function refuse(what: string, fields: readonly FieldProblem[]): void {
	const [first] = fields;
	if (first) throw new SpillwayError("invalid_input", `${what}: ${first.path}: ${first.message}.`, { fields });
}

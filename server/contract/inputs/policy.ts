import { z } from "zod";

/** More than a policy may have, so that a text that is too long is reported and not lost. */
const TEXT_MAX = 256 * 1024;

export const policyName = z
	.string()
	.min(1)
	.max(63)
	.regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, "must be a name in small letters, digits and hyphens, such as default");

export const policyText = z
	.string()
	.max(TEXT_MAX, `is longer than ${TEXT_MAX} characters`)
	.refine((text) => !text.includes("\u0000"), "holds a NUL, which no text has");

export const versionNumber = z.number().int().min(1).max(2_147_483_647);

export const publishMessage = z.string().trim().min(3, "say in a few words why").max(500);

export const nameInput = z.strictObject({ name: policyName });

export const versionInput = z.strictObject({ name: policyName, version: versionNumber });

export const versionsInput = z.strictObject({
	name: policyName,
	/** Only versions below this one: the next page. */
	before: versionNumber.optional(),
	limit: z.number().int().min(1).max(200).default(50),
});

export const checkInput = z.strictObject({ name: policyName, source: policyText });

export const diffInput = z.strictObject({
	name: policyName,
	/** Default: the version in force. */
	from: versionNumber.optional(),
	/** A version, or a text; default: the version in force. */
	to: z.union([versionNumber, z.strictObject({ source: policyText })]).optional(),
});

export const saveDraftInput = z.strictObject({
	name: policyName,
	source: policyText,
	baseVersion: z.number().int().min(0).max(2_147_483_647),
	/** From the last response, null for a first save: fails when another tab has saved since. Omitted: saves anyway. */
	previousUpdatedAt: z.iso.datetime().nullable().optional(),
});

const line = (max: number) =>
	z
		.string()
		.trim()
		.min(1)
		.max(max)
		// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is kept out
		.regex(/^[^\u0000-\u001f\u007f]+$/, "must be one line");

export const gitOrigin = z.strictObject({
	kind: z.literal("git"),
	repository: line(500),
	commit: z.string().regex(/^[0-9a-f]{7,64}$/, "must be a commit's hash"),
	path: line(500),
});

export const publishInput = z.strictObject({
	name: policyName,
	source: policyText,
	message: publishMessage,
	/** The version that the text started from; 0 if there was none. */
	baseVersion: z.number().int().min(0).max(2_147_483_647),
	/** The backtest seen before publishing. */
	backtestId: z.string().min(1).max(64).optional(),
	/** Why there is no finished backtest. The browser's form requires one of the two. */
	noBacktestReason: z.string().trim().min(3, "say in a few words why").max(500).optional(),
});

export const rollbackInput = z.strictObject({
	name: policyName,
	version: versionNumber,
	message: publishMessage,
	/** The version in force that was seen; fails when another one is in force now. */
	baseVersion: versionNumber.optional(),
});

export const mergeInput = z.strictObject({
	name: policyName,
	baseVersion: versionNumber,
	source: policyText,
	/** For conflicts resolved by a person, by their key. */
	choices: z.record(z.string().max(200), z.enum(["mine", "theirs"])).default({}),
});

export const changePolicySettingsInput = z.strictObject({ secondPerson: z.boolean() });

/** A publication over REST. Its base version is in If-Match. */
export const putPolicyInput = publishInput
	.omit({ baseVersion: true })
	.extend({ origin: z.discriminatedUnion("kind", [z.strictObject({ kind: z.literal("cli") }), gitOrigin]).optional() });

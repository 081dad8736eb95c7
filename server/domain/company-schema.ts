import { z } from "zod";
import { CHANNEL_KINDS, CHANNEL_TOPICS, DEFAULT_TOPICS } from "./alert.ts";
import { CHANNEL_DIGESTS } from "./channel-digest.ts";
import { isBuiltIn } from "./custom-role.ts";
import { DATA_LIMITS, dataSetFields, dataStoreFields, isReadableThere, UNREADABLE_STORE } from "./data-set.ts";
import { PERMISSIONS } from "./permissions.ts";
import { policyDocumentSchema } from "./policy-schema.ts";
import { ownedRateCardSchema } from "./rate-card.ts";
import * as value from "./schema/values.ts";
import { storeConfigSchema, usdPerGiBSchema } from "./store.ts";
import { PROVIDERS, ROLES } from "./vocabulary.ts";

/**
 * The company file: one definition of every field, its bounds and its documentation. `spillway apply`, the parser with line numbers and
 * the tables of docs/company-file.md are derived from it.
 */
export const COMPANY_LIMITS = {
	documentBytes: 256 * 1024,
	teams: 500,
	groups: 500,
	roles: 100,
	people: 2_000,
	sites: 50,
	stores: 500,
	rateCards: 500,
	channels: 100,
	templates: 200,
	triggers: 200,
	exchangeRates: 2_000,
} as const;

const CONNECTABLE = PROVIDERS.filter((provider) => provider !== "local");

/** Where `spillway apply` reads a secret. The file itself never contains one. */
const secretRef = () =>
	z
		.string()
		.regex(/^(env:[A-Za-z_][A-Za-z0-9_]{0,127}|file:.{1,500})$/, "must be env:NAME or file:PATH")
		.meta({ valueType: "secret", examples: ["env:AWS_CREDENTIALS"], fix: "Write env:NAME or file:PATH; secrets are never in the file." });

const teamSchema = z.strictObject({
	name: value.name().meta({ description: "Used in job files, policies and charges. Cannot be changed.", examples: ["research"] }),
	title: value
		.line(100)
		.optional()
		.meta({ description: "Display name.", examples: ["Research"] }),
	costCenter: value
		.line(64)
		.optional()
		.meta({ description: "Code in the company's accounts, in quotes.", examples: ['"4711"'] }),
	parent: value
		.name()
		.optional()
		.meta({ description: "Team that this one is part of.", examples: ["research"] }),
});

const personSchema = z.strictObject({
	email: z
		.email("must be an email address")
		.max(256)
		.meta({ description: "Identifies the account.", examples: ["ada@example.com"] }),
	name: value.line(128).meta({ description: "What others see.", examples: ["Ada Lovelace"] }),
	role: value.name().meta({ description: "What the person may do: a built-in role, or one of `roles`.", examples: ["data_scientist"] }),
	teams: z
		.array(value.name())
		.max(50)
		.default([])
		.meta({ description: "Teams that the person submits jobs for and reads.", examples: ["[research]"] }),
	service: z
		.boolean()
		.default(false)
		.meta({ description: "A service account, which uses tokens and never signs in.", examples: [true] }),
});

const groupSchema = z
	.strictObject({
		group: value
			.line(256)
			.meta({ description: "As the identity provider sends it: a name, or an id (Entra).", examples: ["ml-engineers"] }),
		role: value
			.name()
			.optional()
			.meta({ description: "Role of its members: a built-in role, or one of `roles`.", examples: ["data_scientist"] }),
		team: value
			.name()
			.optional()
			.meta({ description: "Team of its members.", examples: ["research"] }),
	})
	.refine(({ role, team }) => role !== undefined || team !== undefined, {
		path: ["group"],
		message: "needs a role, a team or both",
		params: { fix: "Add role or team." },
	});

const roleSchema = z.strictObject({
	name: value
		.name()
		.refine((name) => !isBuiltIn(name), "is the name of a built-in role")
		.meta({ description: "By which people and groups have it. Cannot be changed.", examples: ["operator"] }),
	base: z.enum(ROLES).meta({ description: "The built-in role that it restricts. Cannot be changed.", examples: ["platform"] }),
	permissions: z
		.array(z.enum(PERMISSIONS))
		.min(1)
		.meta({
			description: "Permissions of the base that it keeps (docs/security.md).",
			valueType: "list of permissions",
			examples: ["[job:read, job:cancel]"],
		}),
});

const siteSchema = z.strictObject({
	id: z
		.string()
		.regex(/^[a-z][a-z0-9-]{0,31}$/, "must be at most 32 lower-case letters, digits and -, starting with a letter")
		.meta({ description: "Part of URLs and charges. Cannot be changed.", examples: ["aws-main"] }),
	name: value
		.line(80)
		.optional()
		.meta({ description: "Display name.", defaultText: "its id", examples: ["AWS"] }),
	provider: z.enum(CONNECTABLE).meta({ description: "What it connects to.", examples: ["aws"] }),
	settings: z
		.record(z.string(), z.unknown())
		.default({})
		.meta({ description: "The provider's settings (docs/providers).", examples: ["{ regions: [us-east-1] }"] }),
	credentials: secretRef().optional().meta({
		description: "JSON with the provider's credentials, stored encrypted.",
		defaultText: "what the provider's SDK finds",
	}),
	enabled: z
		.boolean()
		.default(true)
		.meta({ description: "Whether jobs are placed there.", examples: [false] }),
});

const rateCardSchema = z.strictObject({
	pool: z
		.string()
		.regex(/^[^/\s]{1,64}\/[^/\s]{1,64}$/, "must be SITE/POOL")
		.meta({ description: "The owned pool, as SITE/POOL.", examples: ["lab/h100"] }),
	effectiveFrom: z
		.union([z.iso.date(), z.iso.datetime({ offset: true })], 'must be a date such as "2026-11-01" or a time with a zone')
		.optional()
		.meta({
			description: "Date of the ledger's calendar, or time, from which the card applies; in quotes.",
			defaultText: "when it is applied",
			examples: ['"2026-11-01"'],
		}),
	message: value
		.line(500)
		.default("Applied from the company file")
		.meta({ description: "Why the card is set.", examples: ["New power contract"] }),
	card: z.lazy(() => ownedRateCardSchema).meta({ description: "What the pool costs (docs/costs.md).", valueType: "rate card" }),
});

const storeSchema = z.strictObject({
	team: value.name().meta({ description: "Team that keeps its results and checkpoints there. Cannot be changed.", examples: ["research"] }),
	name: value.name().meta({ description: "Identifies the store within the team. Cannot be changed.", examples: ["models"] }),
	config: storeConfigSchema.meta({
		description: "Kind and settings of the store (docs/results.md). The location of its files cannot be changed.",
		valueType: "store settings",
	}),
	credentials: secretRef().optional().meta({
		description: "JSON with the store's credentials (docs/results.md), stored encrypted; for all kinds but folder.",
	}),
	isDefault: z
		.boolean()
		.default(true)
		.meta({ description: "New results and checkpoints of the team go there.", examples: [false] }),
	usdPerGiBMonth: usdPerGiBSchema.optional().meta({ description: "Dollars per GiB and calendar month.", defaultText: "no price" }),
	usdPerGiBEgress: usdPerGiBSchema.optional().meta({ description: "Dollars per GiB that leaves the store.", defaultText: "no price" }),
});

const dataSetSchema = z.strictObject({
	uri: dataSetFields.uri.meta({ description: "Address, as jobs name it.", examples: ["s3://acme/claims"] }),
	copies: dataSetFields.copies.meta({
		description: "Where it is: `at` (region or owned site), `uri` there, and `readUri` for the scheduler (docs/data.md).",
		valueType: "list of copies",
		examples: ['[{ at: "aws:eu-west-1", uri: "s3://acme/claims" }]'],
	}),
	freshDays: dataSetFields.freshDays.meta({
		description: "Days for which later jobs use a copy that Spillway made, without an update (docs/data.md).",
		defaultText: "each later job updates it",
		examples: [30],
	}),
});

const dataStoreSchema = z
	.strictObject({
		at: dataStoreFields.at.meta({ description: "Region such as aws:eu-west-1, or an owned site.", examples: ["aws:eu-west-1"] }),
		uri: dataStoreFields.uri.meta({ description: "Folder that the place's machines read.", examples: ["s3://acme-stage/spillway"] }),
		writeUri: dataStoreFields.writeUri.meta({
			description: "The same folder as the scheduler writes it.",
			defaultText: "the same address",
			examples: ["rclone://stage-eu/acme-stage/spillway"],
		}),
		usdPerGiBMonth: dataStoreFields.usdPerGiBMonth.meta({ description: "Dollars per GiB and month.", defaultText: "no price" }),
		share: dataStoreFields.share.meta({
			description: "Copy data here that jobs keep reading from elsewhere, when that saves more egress than it costs (docs/data.md).",
			defaultText: "false",
			examples: [true],
		}),
	})
	.refine(isReadableThere, UNREADABLE_STORE);

const channelSchema = z.strictObject({
	name: value.line(80).meta({ description: "Identifies the channel.", examples: ["Finance"] }),
	kind: z.enum(CHANNEL_KINDS).meta({ description: "How messages are sent.", examples: ["email"] }),
	topics: z
		.array(z.enum(CHANNEL_TOPICS))
		.min(1)
		.default([...DEFAULT_TOPICS])
		.meta({ description: "What it receives.", defaultText: "every alert, and statements", examples: ["[statement]"] }),
	team: value
		.name()
		.optional()
		.meta({ description: "Only this team's messages.", defaultText: "all teams", examples: ["research"] }),
	pipeline: value
		.name()
		.optional()
		.meta({ description: "Only events of pipelines and sweeps of this name, and no alerts.", defaultText: "all", examples: ["nightly"] }),
	digest: z
		.enum(CHANNEL_DIGESTS)
		.optional()
		.meta({
			description: "Collects events into one message an hour, or a day at 8:00 in the company's time zone.",
			defaultText: "immediate",
			examples: ["daily"],
		}),
	recipients: z
		.array(z.email("must be an email address"))
		.min(1)
		.max(50)
		.optional()
		.meta({ description: "Addresses; for email.", excludes: ["url", "signingKey"], examples: ["[finance@example.com]"] }),
	url: secretRef()
		.optional()
		.meta({ description: "The webhook's address; for all kinds but email.", excludes: ["recipients"] }),
	signingKey: secretRef()
		.optional()
		.meta({
			description: "Key that signs messages; for webhook and cloudevents.",
			defaultText: "generated, and not shown",
			excludes: ["recipients"],
		}),
});

const templateSchema = z.strictObject({
	name: value
		.name()
		.optional()
		.meta({ description: "Name of the template.", defaultText: "the document's name", examples: ["retrain-fraud"] }),
	description: value
		.line(200)
		.optional()
		.meta({ description: "Shown next to the name.", examples: ["Monthly retraining"] }),
	document: z
		.record(z.string(), z.unknown())
		.meta({ description: "The job, pipeline or sweep. Its metadata.team is the template's team.", valueType: "document" }),
});

const triggerSchema = z.strictObject({
	enabled: z
		.boolean()
		.optional()
		.meta({ description: "Whether it fires.", valueType: "true or false", defaultText: "as it is; `true` for a new one" }),
	key: secretRef().optional().meta({ description: "Key that signs its events, of at least 32 characters; for webhook." }),
	document: z
		.record(z.string(), z.unknown())
		.meta({ description: "The trigger. Its metadata.name and metadata.team identify it.", valueType: "document" }),
});

const exchangeRateSchema = z.strictObject({
	currency: z
		.string()
		.regex(/^[A-Z]{3}$/, "must be an ISO 4217 code such as EUR")
		.meta({ description: "ISO 4217 code.", examples: ["EUR"] }),
	date: z.iso
		.date("must be a date such as 2026-11-25")
		.refine((date) => /^(19|20)/.test(date), "must be a date such as 2026-11-25")
		.meta({ description: "Day of the rate, in quotes.", examples: ['"2026-11-25"'] }),
	rate: z
		.string()
		.regex(/^\d{1,10}(\.\d{1,10})?$/, 'must be a decimal in quotes, such as "0.9239"')
		.refine((rate) => /[1-9]/.test(rate), "must be above 0")
		.meta({ description: "Units of the currency for one US dollar, in quotes.", examples: ['"0.9239"'] }),
	source: value.line(200).meta({ description: "Where it was published.", examples: ["Group treasury"] }),
});

/** Reports entries that repeat an earlier name. */
function unique(key: string, { exact = false } = {}) {
	return (entries: readonly object[], ctx: z.RefinementCtx): void => {
		const seen = new Set<string>();
		for (const [index, entry] of entries.entries()) {
			const given = String(Reflect.get(entry, key));
			const id = exact ? given : given.toLowerCase();
			if (seen.has(id))
				ctx.addIssue({ code: "custom", path: [index, key], message: `"${id}" is listed twice`, params: { fix: "Remove one entry." } });
			seen.add(id);
		}
	};
}

/** Reports stores with the team and name of an earlier one, and second default stores of a team. */
function checkStores(stores: readonly z.output<typeof storeSchema>[], ctx: z.RefinementCtx): void {
	const names = new Set<string>();
	const defaults = new Map<string, string>();
	for (const [index, { team, name, isDefault }] of stores.entries()) {
		const report = (field: string, message: string, fix: string) =>
			ctx.addIssue({ code: "custom", path: [index, field], message, params: { fix } });
		if (names.has(`${team}/${name}`)) report("name", `"${team}/${name}" is listed twice`, "Remove one entry.");
		names.add(`${team}/${name}`);
		const other = defaults.get(team);
		if (isDefault && other !== undefined)
			report("isDefault", `"${other}" is the default store of ${team}`, "Write isDefault: false for one of them.");
		if (isDefault) defaults.set(team, name);
	}
}

type Assigned = readonly { role?: string | undefined }[];

/** Reports people and groups with a role that is neither built in nor in the file. */
function checkRoles(
	spec: { roles?: { name: string }[] | undefined; people?: Assigned | undefined; groups?: Assigned | undefined },
	ctx: z.RefinementCtx,
): void {
	const known = [...ROLES, ...(spec.roles ?? []).map(({ name }) => name)];
	for (const part of ["people", "groups"] as const) {
		for (const [index, { role }] of (spec[part] ?? []).entries()) {
			if (role === undefined || known.includes(role)) continue;
			ctx.addIssue({ code: "custom", path: [part, index, "role"], message: `must be one of ${known.join(", ")}, not "${role}"` });
		}
	}
}

export const companyDocumentSchema = z.strictObject({
	apiVersion: z.literal("spillway/v1").meta({ description: "Always spillway/v1.", fix: "Write apiVersion: spillway/v1." }),
	kind: z.literal("Company").meta({ description: "Always Company.", fix: "Write kind: Company." }),
	spec: z
		.strictObject({
			timeZone: value
				.line(64)
				.optional()
				.meta({
					description: "IANA zone of the ledger's days and months. Cannot be changed after the first charge.",
					examples: ["Europe/Berlin"],
				}),
			currency: z
				.string()
				.regex(/^[A-Z]{3}$/, "must be an ISO 4217 code such as EUR")
				.optional()
				.meta({ description: "Currency that reports are shown in. The ledger stays in USD.", examples: ["EUR"] }),
			exchangeRates: z
				.array(exchangeRateSchema)
				.max(COMPANY_LIMITS.exchangeRates)
				.superRefine((rates, ctx) => {
					const seen = new Set<string>();
					for (const [index, { currency, date }] of rates.entries()) {
						if (seen.has(`${currency} ${date}`))
							ctx.addIssue({ code: "custom", path: [index, "date"], message: `${currency} has two rates on ${date}` });
						seen.add(`${currency} ${date}`);
					}
				})
				.optional()
				.meta({ description: "Dated exchange rates." }),
			teams: z.array(teamSchema).max(COMPANY_LIMITS.teams).superRefine(unique("name")).optional().meta({ description: "All teams." }),
			roles: z
				.array(roleSchema)
				.max(COMPANY_LIMITS.roles)
				.superRefine(unique("name"))
				.optional()
				.meta({ description: "Custom roles; every one that people and groups of the file have." }),
			groups: z
				.array(groupSchema)
				.max(COMPANY_LIMITS.groups)
				.superRefine(unique("group", { exact: true }))
				.optional()
				.meta({ description: "Groups of the identity provider, with the role and team of their members." }),
			people: z
				.array(personSchema)
				.max(COMPANY_LIMITS.people)
				.superRefine(unique("email"))
				.optional()
				.meta({ description: "People and service accounts." }),
			sites: z
				.array(siteSchema)
				.max(COMPANY_LIMITS.sites)
				.superRefine(unique("id"))
				.optional()
				.meta({ description: "Cloud accounts and clusters." }),
			stores: z
				.array(storeSchema)
				.max(COMPANY_LIMITS.stores)
				.superRefine(checkStores)
				.optional()
				.meta({ description: "Where teams keep results and checkpoints." }),
			dataSets: z
				.array(dataSetSchema)
				.max(DATA_LIMITS.sets)
				.superRefine(unique("uri", { exact: true }))
				.optional()
				.meta({ description: "Data sets and their copies." }),
			dataStores: z
				.array(dataStoreSchema)
				.max(DATA_LIMITS.stores)
				.superRefine(unique("at", { exact: true }))
				.optional()
				.meta({ description: "Where Spillway may copy data ahead." }),
			rateCards: z
				.array(rateCardSchema)
				.max(COMPANY_LIMITS.rateCards)
				.superRefine((cards, ctx) => {
					const seen = new Set<string>();
					for (const [index, { pool, effectiveFrom }] of cards.entries()) {
						const id = `${pool} ${effectiveFrom ?? ""}`;
						if (seen.has(id))
							ctx.addIssue({ code: "custom", path: [index, "pool"], message: `"${pool}" has two cards from the same time` });
						seen.add(id);
					}
				})
				.optional()
				.meta({ description: "What pools of owned GPUs cost." }),
			policy: policyDocumentSchema.shape.spec
				.optional()
				.meta({ description: "Rules, budgets, shares and weights: the spec of the policy named default.", valueType: "policy spec" }),
			templates: z
				.array(templateSchema)
				.max(COMPANY_LIMITS.templates)
				.optional()
				.meta({ description: "Pipelines, sweeps and jobs that people run by filling in parameters." }),
			triggers: z.array(triggerSchema).max(COMPANY_LIMITS.triggers).optional().meta({ description: "What starts pipelines by itself." }),
			channels: z
				.array(channelSchema)
				.max(COMPANY_LIMITS.channels)
				.superRefine(unique("name"))
				.optional()
				.meta({ description: "Where alerts and statements are sent." }),
		})
		.superRefine(checkRoles),
});

export type CompanyFile = z.output<typeof companyDocumentSchema>;
export type CompanySpec = CompanyFile["spec"];

/** Every secret reference in the file. */
export function secretRefsOf(spec: CompanySpec): string[] {
	return [...new Set(secretPlacesOf(spec).map(({ ref }) => ref))];
}

/** Every secret reference with its path in the file. */
export function secretPlacesOf({
	sites = [],
	stores = [],
	triggers = [],
	channels = [],
}: CompanySpec): { ref: string; at: PropertyKey[] }[] {
	const places = [
		...sites.map(({ credentials }, index) => ({ ref: credentials, at: ["spec", "sites", index, "credentials"] })),
		...stores.map(({ credentials }, index) => ({ ref: credentials, at: ["spec", "stores", index, "credentials"] })),
		...triggers.map(({ key }, index) => ({ ref: key, at: ["spec", "triggers", index, "key"] })),
		...channels.flatMap((channel, index) =>
			(["url", "signingKey"] as const).map((field) => ({ ref: channel[field], at: ["spec", "channels", index, field] })),
		),
	];
	return places.flatMap(({ ref, at }) => (ref === undefined ? [] : [{ ref, at }]));
}

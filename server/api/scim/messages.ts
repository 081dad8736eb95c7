import { z } from "zod";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ScimGroup, ScimGroupInput } from "#server/services/governance/scim/groups.ts";
import type { ScimFilter, ScimPage, ScimUser, ScimUserInput } from "#server/services/governance/scim/users.ts";

/** SCIM 2.0: resources of RFC 7643, messages of RFC 7644. Providers vary the case of attribute names and operations. */
export const SCHEMA = {
	user: "urn:ietf:params:scim:schemas:core:2.0:User",
	group: "urn:ietf:params:scim:schemas:core:2.0:Group",
	list: "urn:ietf:params:scim:api:messages:2.0:ListResponse",
	error: "urn:ietf:params:scim:api:messages:2.0:Error",
	config: "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig",
	resourceType: "urn:ietf:params:scim:schemas:core:2.0:ResourceType",
} as const;

const PAGE_MAX = 200;
const MEMBERS_MAX = 10_000;
const text = (max: number) => z.string().trim().min(1).max(max);
/** Entra sends "True" and "False". */
const flag = z.union([z.boolean(), z.enum(["True", "False", "true", "false"]).transform((word) => word.toLowerCase() === "true")]);

const userSchema = z.object({
	userName: text(256),
	externalId: text(256).nullish(),
	displayName: text(128).nullish(),
	name: z.object({ formatted: text(128).nullish(), givenName: text(64).nullish(), familyName: text(64).nullish() }).nullish(),
	emails: z
		.array(z.object({ value: z.email().max(256), primary: flag.optional() }))
		.max(20)
		.nullish(),
	active: flag.default(true),
});

const memberList = z
	.array(z.object({ value: text(64) }))
	.max(MEMBERS_MAX)
	.transform((members) => members.map(({ value }) => value));
const groupSchema = z.object({ displayName: text(256), externalId: text(256).nullish(), members: memberList.default([]) });

export function userInputOf(body: unknown): ScimUserInput {
	const user = userSchema.parse(body);
	const email = (user.emails?.find(({ primary }) => primary) ?? user.emails?.[0])?.value ?? user.userName;
	if (!z.email().safeParse(email).success)
		throw new SpillwayError("invalid_input", "The user has no email address: send emails, or an address as userName.");
	const { formatted, givenName, familyName } = user.name ?? {};
	const name = user.displayName ?? formatted ?? ([givenName, familyName].filter(Boolean).join(" ") || user.userName);
	return { userName: user.userName, externalId: user.externalId ?? null, name, email, active: user.active };
}

export function groupInputOf(body: unknown): ScimGroupInput {
	const { displayName, externalId, members } = groupSchema.parse(body);
	return { displayName, externalId: externalId ?? null, members };
}

const patchSchema = z.object({
	Operations: z
		.array(
			z.object({
				op: z
					.string()
					.transform((op) => op.toLowerCase())
					.pipe(z.enum(["add", "replace", "remove"])),
				path: z.string().max(512).optional(),
				value: z.unknown().optional(),
			}),
		)
		.min(1)
		.max(1_000),
});
type Patch = z.output<typeof patchSchema>["Operations"][number];

/** The changes of a PATCH to a user. Attributes that Spillway does not store are ignored, because providers send many. */
export function userChangesOf(body: unknown): Partial<ScimUserInput> {
	const changes: Partial<ScimUserInput> = {};
	for (const { op, path, value } of patchSchema.parse(body).Operations) {
		if (op === "remove") {
			if (path?.toLowerCase() === "externalid") changes.externalId = null;
			continue;
		}
		const fields = path === undefined ? Object.entries(z.record(z.string(), z.unknown()).parse(value)) : [[path, value] as const];
		for (const [name, given] of fields) changeUser(changes, name.toLowerCase(), given);
	}
	return changes;
}

function changeUser(changes: Partial<ScimUserInput>, name: string, value: unknown): void {
	if (name === "active") changes.active = flag.parse(value);
	else if (name === "username") changes.userName = text(256).parse(value);
	else if (name === "externalid") changes.externalId = text(256).parse(value);
	else if (name === "displayname" || name === "name.formatted") changes.name = text(128).parse(value);
	else if (/^emails\[.*\]\.value$/.test(name)) changes.email = z.email().max(256).parse(value);
	else if (name === "emails")
		changes.email =
			z
				.array(z.object({ value: z.email().max(256) }))
				.min(1)
				.parse(value)[0]?.value ?? "";
}

/** The changes of a PATCH to a group. */
export function groupChangesOf(body: unknown): (group: ScimGroup) => Partial<ScimGroupInput> {
	const operations = patchSchema.parse(body).Operations;
	return (group) => operations.reduce<ScimGroupInput>(changeGroup, group);
}

function changeGroup(group: ScimGroupInput, { op, path, value }: Patch): ScimGroupInput {
	const name = path?.toLowerCase();
	if (name === undefined) {
		const fields = groupSchema.partial().parse(value);
		const { displayName = group.displayName, externalId = group.externalId } = fields;
		const members = fields.members && (op === "add" ? [...group.members, ...fields.members] : fields.members);
		return { displayName, externalId, members: members ?? group.members };
	}
	if (name === "displayname") return { ...group, displayName: text(256).parse(value) };
	if (name === "externalid") return { ...group, externalId: op === "remove" ? null : text(256).parse(value) };
	const one = /^members\[value eq "([^"]+)"\]$/i.exec(path ?? "")?.[1];
	if (one !== undefined && op === "remove") return { ...group, members: group.members.filter((member) => member !== one) };
	if (name !== "members") throw new SpillwayError("invalid_input", `The path ${path} is not supported.`);
	if (op === "remove" && value == null) return { ...group, members: [] };
	const named = memberList.parse(value);
	if (op === "add") return { ...group, members: [...new Set([...group.members, ...named])] };
	return { ...group, members: op === "replace" ? named : group.members.filter((member) => !named.includes(member)) };
}

const ATTRIBUTES = { id: "id", username: "userName", externalid: "externalId", displayname: "displayName" } as const;

/** Paging and the filters that providers use: one attribute, equal to a text. */
export function pageOf(query: URLSearchParams): ScimPage {
	const whole = (name: string, fallback: number) => {
		const value = Number(query.get(name) ?? fallback);
		return Number.isInteger(value) ? value : fallback;
	};
	const startIndex = Math.min(Math.max(1, whole("startIndex", 1)), 1_000_000);
	return { startIndex, count: Math.min(Math.max(0, whole("count", 100)), PAGE_MAX), filter: filterOf(query.get("filter")) };
}

function filterOf(filter: string | null): ScimFilter | null {
	if (filter === null) return null;
	const [, name = "", value = ""] = /^\s*(\w+)\s+eq\s+"([^"]{0,256})"\s*$/i.exec(filter) ?? [];
	const attribute = ATTRIBUTES[name.toLowerCase() as keyof typeof ATTRIBUTES];
	if (attribute !== undefined) return { attribute, value };
	throw new SpillwayError("invalid_input", 'Filters have the form: userName eq "…", externalId eq "…" or displayName eq "…".');
}

export function userResource(user: ScimUser, base: string) {
	return {
		...{ schemas: [SCHEMA.user], id: user.id, userName: user.userName, ...(user.externalId !== null && { externalId: user.externalId }) },
		...{ displayName: user.name, name: { formatted: user.name }, emails: [{ value: user.email, primary: true }], active: user.active },
		meta: { resourceType: "User", created: user.createdAt.toISOString(), location: `${base}/Users/${user.id}` },
	};
}

export function groupResource(group: ScimGroup, base: string, withMembers: boolean) {
	return {
		...{ schemas: [SCHEMA.group], id: group.id, displayName: group.displayName },
		...(group.externalId !== null && { externalId: group.externalId }),
		...(withMembers && { members: group.members.map((value) => ({ value, $ref: `${base}/Users/${value}` })) }),
		meta: { resourceType: "Group", created: group.createdAt.toISOString(), location: `${base}/Groups/${group.id}` },
	};
}

export function listResource(total: number, startIndex: number, resources: readonly unknown[]) {
	return { schemas: [SCHEMA.list], totalResults: total, startIndex, itemsPerPage: resources.length, Resources: resources };
}

export function serviceProviderConfig() {
	const no = { supported: false };
	return {
		...{ schemas: [SCHEMA.config], patch: { supported: true }, bulk: { ...no, maxOperations: 0, maxPayloadSize: 0 } },
		...{ filter: { supported: true, maxResults: PAGE_MAX }, changePassword: no, sort: no, etag: no },
		authenticationSchemes: [
			{ type: "oauthbearertoken", name: "Token", description: "A Spillway token with the scope accounts.", primary: true },
		],
	};
}

export function resourceTypes() {
	const of = (name: string, schema: string) => ({ schemas: [SCHEMA.resourceType], id: name, name, endpoint: `/${name}s`, schema });
	return [of("User", SCHEMA.user), of("Group", SCHEMA.group)];
}

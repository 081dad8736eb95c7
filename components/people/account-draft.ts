import type { FieldErrors } from "#components/page/field-errors.ts";
import type { Outputs } from "#components/trpc/outputs.ts";

export type AccountRow = Outputs["account"]["list"][number];

export interface AccountDraft {
	email: string;
	name: string;
	/** A built-in role, or the name of a custom one. */
	role: string;
	teams: readonly string[];
	service: boolean;
}

export function draftOf(account: AccountRow | null, service: boolean): AccountDraft {
	if (account === null) return { email: "", name: "", role: "data_scientist", teams: [], service };
	const { email, name, role, customRole, teams } = account;
	return { email, name, role: customRole ?? role, teams, service: account.kind === "service" };
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Problems of a draft by field; empty when it can be sent. */
export function checkAccount(draft: AccountDraft): FieldErrors {
	return {
		...(EMAIL.test(draft.email.trim()) ? {} : { email: "Enter an email address, such as ada@example.com." }),
		...(draft.name.trim() === "" ? { name: "Enter a name." } : {}),
		...(draft.role === "data_scientist" && draft.teams.length === 0
			? { teams: "Choose at least one team. Data scientists submit jobs for their teams." }
			: {}),
	};
}

/** How a person signs in, in a few words. */
export function signInText(account: AccountRow): string {
	if (account.kind === "service") return "Tokens only";
	const linked = account.identities.filter((identity) => identity.linkedAt !== null);
	if (linked.length > 0) return "Single sign-on";
	if (account.kind === "demo") return "Demo password";
	if (account.hasPassword) return "Password";
	if (account.invitedUntil === null) return "Cannot sign in";
	return "Invited";
}

/** Latest sign-in through an identity provider, as a time in ms; null when none is recorded. */
export function lastSignInMs(account: AccountRow): number | null {
	const times = account.identities.flatMap(({ lastSignInAt }) => (lastSignInAt === null ? [] : [Date.parse(lastSignInAt)]));
	return times.length === 0 ? null : Math.max(...times);
}

import type { z } from "zod";
import type { Provider } from "#server/domain/vocabulary.ts";
import type { CheckStep } from "./check-steps.ts";
import type { CloudDriver, ClusterDriver } from "./driver.ts";
import type { InstanceIdentity } from "./instance-identity.ts";

/** A setting or a credential, as a person enters it. */
export interface SiteField {
	/** Its key in the settings, or in the credentials. */
	name: string;
	label: string;
	hint: string;
	/**
	 * `lines`: texts, one a line; `map`: `key = value` lines; `text_or_map`: one text for all, or such lines; `json`: anything;
	 * `secret`: a text that is never shown; `key_file`: a whole JSON file that is the credentials.
	 */
	input: "text" | "lines" | "map" | "text_or_map" | "json" | "secret" | "key_file";
	required: boolean;
	placeholder?: string;
	/** Choices of a text. */
	options?: readonly string[];
}

/** Everything that a driver is made of. */
export interface SitePlace {
	siteId: string;
	settings: Record<string, unknown>;
	/** null: what the provider's own SDK finds in this process's surroundings. */
	credentials: Record<string, unknown> | null;
	/** The deployment's id, which machines are tagged with. */
	controlPlane: string;
}

export type OpenedSite = { kind: "cloud"; driver: CloudDriver } | { kind: "cluster"; driver: ClusterDriver };

/** One provider that people can connect: adding another is one more of these in the table of server/bin/site-kinds.ts. */
export interface SiteKind {
	provider: Provider;
	title: string;
	owned: boolean;
	/** There is at most one such site. */
	single?: true;
	/** Below docs/; its blocks after `<!-- least rights: … -->` are shown in the form. */
	docs: string;
	fields: readonly SiteField[];
	credentialFields: readonly SiteField[];
	/** What is used when no credentials are given; null where they must be. */
	withoutCredentials: string | null;
	/** The site's settings as they may come from people. What belongs to the deployment, and every secret, is no part of it. */
	settings: z.ZodType<Record<string, unknown>>;
	/**
	 * Settings with which a site could run programs or read files of the server, or be sent its secrets: people keep what is there,
	 * and only who may write to the database sets them. By the field that must be named.
	 */
	guarded(settings: Record<string, unknown>): Record<string, unknown>;
	/** Where stored credentials are sent, as far as people choose it: with another place they have to be entered again. */
	sentTo(settings: Record<string, unknown>): unknown;
	/** null: this driver takes none. */
	credentials: z.ZodType<Record<string, unknown>> | null;
	/** How what the provider signs for its machines is checked; left out where it signs nothing. */
	identity?: InstanceIdentity;
	/** @throws Error naming each wrong setting */
	open(place: SitePlace): OpenedSite;
	/** Looks at everything that a launch will need, before anything is bought; nothing is changed there. */
	check(place: SitePlace): AsyncGenerator<CheckStep>;
}

import type { z } from "zod";
import type { Provider } from "#server/domain/vocabulary.ts";
import type { CheckStep } from "./check-steps.ts";
import type { CloudDriver, ClusterDriver } from "./driver.ts";
import type { InstanceIdentity } from "./instance-identity.ts";

/** A form field for a setting or a credential. */
export interface SiteField {
	/** Its key in the settings, or in the credentials. */
	name: string;
	label: string;
	hint: string;
	/**
	 * `lines`: texts, one per line; `map`: `key = value` lines; `text_or_map`: one text for all, or such lines; `json`: anything;
	 * `secret`: a text that is never shown; `key_file`: a whole JSON file that is the credentials.
	 */
	input: "text" | "lines" | "map" | "text_or_map" | "json" | "secret" | "key_file";
	required: boolean;
	placeholder?: string;
	/** Choices for a text. */
	options?: readonly string[];
}

/** Inputs for creating a driver. */
export interface SitePlace {
	siteId: string;
	settings: Record<string, unknown>;
	/** null: use the default chain of the provider's own SDK in this process. */
	credentials: Record<string, unknown> | null;
	/** The deployment's id, a tag on its machines. */
	controlPlane: string;
}

export type OpenedSite = ({ kind: "cloud"; driver: CloudDriver } | { kind: "cluster"; driver: ClusterDriver }) & {
	/** Loads the provider's library, which can block the process for a second. Drivers load it at their first call otherwise. */
	loadSdk?: () => Promise<unknown>;
};

/** One provider that users can connect. To add another, add a value of this type to the table of server/bin/site-kinds.ts. */
export interface SiteKind {
	provider: Provider;
	title: string;
	owned: boolean;
	/** Whether there can be at most one such site. */
	single?: true;
	/** Path below docs/. Its blocks after `<!-- least rights: … -->` are shown in the form. */
	docs: string;
	fields: readonly SiteField[];
	credentialFields: readonly SiteField[];
	/** What is used without credentials; null if they are required. */
	withoutCredentials: string | null;
	/** The site's settings that users may enter. Values of the deployment and secrets are excluded. */
	settings: z.ZodType<Record<string, unknown>>;
	/**
	 * Settings that could make a site run programs, read files of the server, or receive its secrets. Users cannot change them; only
	 * someone with write access to the database can. By the field to name in the error.
	 */
	guarded(settings: Record<string, unknown>): Record<string, unknown>;
	/** Where stored credentials are sent, as far as users choose it. If it changes, the credentials must be entered again. */
	sentTo(settings: Record<string, unknown>): unknown;
	/** null: this driver accepts none. */
	credentials: z.ZodType<Record<string, unknown>> | null;
	/** How identity documents of the provider are verified; undefined if it signs none. */
	identity?: InstanceIdentity;
	/** @throws Error naming each wrong setting */
	open(place: SitePlace): OpenedSite;
	/** Checks everything that a launch needs, without buying or changing anything. */
	check(place: SitePlace): AsyncGenerator<CheckStep>;
}

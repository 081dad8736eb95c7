import type { SiteKind } from "#server/providers/site-kind.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import type { CredentialKeys } from "./credential-keys.ts";

/** Dependencies of adding and checking sites: the drivers' own schemas and checks, and the keys. */
export interface SiteTools {
	kinds: readonly SiteKind[];
	keys: CredentialKeys;
	/** The block of a document in docs/ with the least privileges; null without one. */
	leastRights(document: string): readonly LeastRights[];
}

/** Something to paste at the provider. */
export interface LeastRights {
	title: string;
	/** `json`, `yaml`, `sh`. */
	language: string;
	text: string;
}

export type SiteContext = ServiceContext & { siteTools: SiteTools };

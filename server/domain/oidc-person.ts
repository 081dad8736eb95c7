import type { Rights } from "./group-map.ts";

/** A person signed in by an OpenID Connect issuer. */
export interface OidcPerson {
	issuer: string;
	subject: string;
	email: string | null;
	emailVerified: boolean;
	name: string;
	/** null when no group is mapped. */
	rights: Rights | null;
}

import type { Rights } from "./group-map.ts";

/** A person as an OpenID Connect issuer signed them in. */
export interface OidcPerson {
	issuer: string;
	subject: string;
	email: string | null;
	emailVerified: boolean;
	name: string;
	/** null when no group is mapped. */
	rights: Rights | null;
}

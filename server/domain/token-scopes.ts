import type { Permission } from "./permissions.ts";

/** Scopes of a token. A token has its owner's permissions within its scopes, never more. */
export const TOKEN_SCOPES = ["read", "jobs", "money", "policy", "sites", "accounts"] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

const SCOPE_OF: Partial<Record<Permission, TokenScope>> = {
	"job:submit": "jobs",
	"job:cancel": "jobs",
	"data:change": "jobs",
	"secret:manage": "jobs",
	"notification:manage": "jobs",
	"job:approve": "policy",
	"policy:edit": "policy",
	"plan:run": "policy",
	"policy:publish": "policy",
	"policy:approve": "policy",
	"site:manage": "sites",
	"account:manage": "accounts",
	"token:manage": "accounts",
};

/** Every `…:read` and requesting a quote is `read`; permissions not listed here can change money. */
export function scopeOf(permission: Permission): TokenScope {
	return SCOPE_OF[permission] ?? (permission.endsWith(":read") || permission === "quote:ask" ? "read" : "money");
}

import type { QueryClient } from "@tanstack/react-query";
import { makeQueryClient } from "./query-client.ts";

let current: { owner: string; client: QueryClient } | null = null;

/**
 * The tab's one client for a signed-in person. Signing out and in as another person loads no page, and the keys of queries
 * do not name the person: another owner gets a client without the first one's data.
 */
export function browserClientOf(owner: string): QueryClient {
	if (current?.owner !== owner) {
		current?.client.clear();
		current = { owner, client: makeQueryClient() };
	}
	return current.client;
}

import { inject } from "vitest";
import { acquireDatabase, type TestDatabase } from "./throwaway.ts";

export type { TestDatabase };

/** Creates a separate, migrated and empty database, so that tests run in parallel without interfering. */
export function createTestDatabase({ connectionsMax }: { connectionsMax?: number } = {}): Promise<TestDatabase> {
	return acquireDatabase(inject("postgresUrl"), connectionsMax);
}

declare module "vitest" {
	export interface ProvidedContext {
		/** Superuser URL of the throwaway PostgreSQL that the global set-up started. */
		postgresUrl: string;
	}
}

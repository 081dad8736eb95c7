import { inject } from "vitest";
import { type TestDatabase, takeDatabaseOn } from "./throwaway.ts";

export type { TestDatabase };

/** Creates a separate, migrated and empty database, so that tests run in parallel without interfering. */
export function createTestDatabase({ connectionsMax }: { connectionsMax?: number } = {}): Promise<TestDatabase> {
	return takeDatabaseOn(inject("postgresUrl"), connectionsMax);
}

declare module "vitest" {
	export interface ProvidedContext {
		/** Superuser URL of the throwaway PostgreSQL that the global set-up started. */
		postgresUrl: string;
	}
}

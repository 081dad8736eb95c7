import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTRPC } from "#components/trpc/client.tsx";
import type { FoundEntity } from "#server/domain/search.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { buildSearch, parseQuery } from "./parse-query.ts";

const PAUSE_MS = 60;
/** Long enough that results are reused while a user edits the query. */
const FRESH_MS = 5_000;

export interface Found {
	/** `loading`: the entities are from an earlier query. */
	state: "done" | "loading" | "failed";
	entities: readonly FoundEntity[];
	teams: readonly string[];
}

/** Finds entities for the typed text. An older response never replaces a newer one. */
export function useFound(text: string): Found {
	const trpc = useTRPC();
	const client = useQueryClient();
	const { data: teams = [] } = useQuery({ ...trpc.team.names.queryOptions(), staleTime: MINUTE_MS });
	const [answer, setAnswer] = useState<{ of: string; failed: boolean; entities: readonly FoundEntity[] }>({
		...{ of: "", failed: false, entities: [] },
	});
	// Sends the query when typing pauses.
	useEffect(() => {
		const search = buildSearch(parseQuery(text));
		if (search === null) return setAnswer({ of: text, failed: false, entities: [] });
		let current = true;
		const timer = setTimeout(() => {
			client.fetchQuery({ ...trpc.search.find.queryOptions(search), staleTime: FRESH_MS, retry: false }).then(
				(entities) => current && setAnswer({ of: text, failed: false, entities }),
				() => current && setAnswer({ of: text, failed: true, entities: [] }),
			);
		}, PAUSE_MS);
		return () => {
			current = false;
			clearTimeout(timer);
		};
	}, [text, client, trpc]);
	return { state: answer.of !== text ? "loading" : answer.failed ? "failed" : "done", entities: answer.entities, teams };
}

"use client";
import { useQueryStates } from "nuqs";
import { buttonClass } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { auditFileHref, auditSearchParams } from "./search-params.ts";

/** Exports all entries that match the filters. */
export function ExportLinks() {
	const [search] = useQueryStates(auditSearchParams);
	return (
		<>
			<a href={auditFileHref(search, "csv")} download className={buttonClass()}>
				<Icon name="download" className="-ml-0.5 size-3.5" />
				CSV
			</a>
			<a href={auditFileHref(search, "ndjson")} download className={buttonClass("default", "md", "max-md:hidden")}>
				NDJSON
			</a>
		</>
	);
}

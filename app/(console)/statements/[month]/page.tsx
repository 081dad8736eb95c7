import type { Metadata } from "next";
import { notFound } from "next/navigation";
import type { SearchParams } from "nuqs/server";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { PageBody } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { loadStatementParams } from "#components/statements/search-params.ts";
import { StatementHeader } from "#components/statements/statement-header.tsx";
import { type StatementAt, statementQuery } from "#components/statements/statement-query.ts";
import { StatementScreen } from "#components/statements/statement-screen.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { monthWords } from "#server/domain/statement-words.ts";

type Props = { params: Promise<{ month: string }>; searchParams: Promise<SearchParams> };

const MONTH = /^20\d\d-(0[1-9]|1[0-2])$/;

export async function generateMetadata({ params }: Props): Promise<Metadata> {
	const { month } = await params;
	return { title: MONTH.test(month) ? `Statement of ${monthWords(month)}` : "Statements" };
}

export default async function StatementPage({ params, searchParams }: Props) {
	const { month } = await params;
	if (!MONTH.test(month)) notFound();
	const { team, version } = await loadStatementParams(searchParams);
	const at: StatementAt = { month, team: team ?? "", version };
	void getQueryClient().prefetchQuery(trpc.statement.get.queryOptions(statementQuery(at)));
	return (
		<HydrateClient>
			<StatementHeader at={at} />
			<QueryBoundary what="this statement" framed skeleton={<Loading />}>
				<StatementScreen at={at} />
			</QueryBoundary>
		</HydrateClient>
	);
}

function Loading() {
	return (
		<PageBody>
			<div className="mx-auto w-full max-w-208 rounded-xl border bg-panel p-5 md:p-12">
				<TextSkeleton lines={24} label="Loading statement" />
			</div>
		</PageBody>
	);
}

import type { Metadata } from "next";
import { PipelineScreen } from "#components/pipelines/pipeline-screen.tsx";

export const metadata: Metadata = { title: "Sweep" };

export default async function SweepPage({ params }: { params: Promise<{ id: string }> }) {
	const { id } = await params;
	return <PipelineScreen id={id} kind="Sweep" />;
}

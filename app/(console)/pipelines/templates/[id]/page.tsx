import type { Metadata } from "next";
import { TemplateScreen } from "#components/templates/template-screen.tsx";

export const metadata: Metadata = { title: "Template" };

export default async function TemplatePage({ params }: { params: Promise<{ id: string }> }) {
	const { id } = await params;
	return <TemplateScreen id={id} />;
}

-- expands: earlier programs run on this schema
ALTER TABLE "pipeline" ADD COLUMN "template_id" text;--> statement-breakpoint
ALTER TABLE "pipeline" ADD COLUMN "template_version" integer;--> statement-breakpoint
ALTER TABLE "pipeline" ADD CONSTRAINT "pipeline_template_id_template_id_fk" FOREIGN KEY ("template_id") REFERENCES "public"."template"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline" ADD CONSTRAINT "pipeline_template_with_version" CHECK (("pipeline"."template_id" is null) = ("pipeline"."template_version" is null));
import { Module } from '@nestjs/common';
import { ArtifactStore } from '../artifact/artifact-store.js';
import { ArtifactPublisher } from '../publication/artifact-publisher.js';
import { FlowPipeline } from './flow-pipeline.js';

@Module({ providers: [FlowPipeline, ArtifactStore, ArtifactPublisher], exports: [FlowPipeline] })
export class PipelineModule {}

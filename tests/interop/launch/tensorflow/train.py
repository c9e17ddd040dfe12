"""One step of each of the workers, together. Nothing here depends on Rollcall: TensorFlow reads TF_CONFIG."""
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
resolver = strategy.cluster_resolver
with strategy.scope():
    weight = tf.Variable(0.0, aggregation=tf.VariableAggregation.MEAN)


def replica():
    weight.assign_add(tf.constant(resolver.task_id + 1.0))  # the mean of all workers' is added everywhere


@tf.function
def step():
    strategy.run(replica)


step()
print(f"{resolver.task_type} {resolver.task_id} of {strategy.num_replicas_in_sync}: {weight.numpy():.1f}")

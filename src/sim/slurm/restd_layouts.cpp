// The fields of records in the answers of slurmrestd, in its order, with what they are where nothing is asked for: of v0.0.38 (22.05),
// v0.0.42 (24.11) and v0.0.45 (26.05). tests/sim/slurm compares their names with answers of real servers.
#include "sim/slurm/restd_record.hpp"

namespace rollcall::sim {

const std::string_view restd_job_v38 =
    R"(account accrue_time# admin_comment array_job_id# array_task_id? array_max_tasks# array_task_string )"
    R"(association_id# batch_features batch_flag:true batch_host flags[] burst_buffer burst_buffer_state cluster )"
    R"(cluster_features command comment container contiguous! core_spec? thread_spec? cores_per_socket? billable_tres? )"
    R"(cpus_per_task? cpu_frequency_minimum? cpu_frequency_maximum? cpu_frequency_governor? cpus_per_tres deadline# )"
    R"(delay_boot# dependency derived_exit_code# eligible_time# end_time# excluded_nodes exit_code# features )"
    R"(federation_origin federation_siblings_active federation_siblings_viable gres_detail[] group_id# group_name )"
    R"(job_id# job_state last_sched_evaluation# licenses max_cpus# max_nodes# mcs_label memory_per_tres name nodes )"
    R"(nice? tasks_per_core? tasks_per_node# tasks_per_socket? tasks_per_board# cpus# node_count# tasks# het_job_id# )"
    R"(het_job_id_set het_job_offset# partition prefer memory_per_node# memory_per_cpu? minimum_cpus_per_node# )"
    R"(minimum_tmp_disk_per_node# preempt_time# pre_sus_time# priority# profile? qos reboot! required_nodes )"
    R"(requeue:true resize_time# restart_cnt# resv_name shared? show_flags:["SHOW_ALL","SHOW_DETAIL","SHOW_LOCAL"] )"
    R"(sockets_per_board# sockets_per_node? start_time# state_description state_reason:"None" standard_error )"
    R"(standard_input:"/dev/null" standard_output submit_time# suspend_time# system_comment time_limit? time_minimum# )"
    R"(threads_per_core? tres_bind tres_freq tres_per_job tres_per_node tres_per_socket tres_per_task tres_req_str )"
    R"(tres_alloc_str user_id# user_name wckey current_working_directory)";

const std::string_view restd_node_v38 =
    R"(architecture:"x86_64" burstbuffer_network_address boards#1 boot_time# comment cores#1 cpu_binding# cpu_load# )"
    R"(extra free_memory# cpus# last_busy# features active_features gres gres_drained:"N/A" gres_used mcs_label name )"
    R"(next_state_after_reboot:"invalid" address hostname state state_flags[] next_state_after_reboot_flags[] )"
    R"(operating_system:"Linux" owner? partitions[] port# real_memory# reason reason_changed_at# reason_set_by_user )"
    R"(slurmd_start_time# sockets# threads#1 temporary_disk# weight#1 tres slurmd_version alloc_memory# alloc_cpus# )"
    R"(idle_cpus# tres_used tres_weighted#)";

const std::string_view restd_partition_v38 =
    R"(flags[] preemption_mode:["disabled"] allowed_allocation_nodes allowed_accounts allowed_groups allowed_qos )"
    R"(alternative billing_weights default_memory_per_cpu? default_memory_per_node? default_time_limit? denied_accounts )"
    R"(denied_qos preemption_grace_time# maximum_cpus_per_node#-1 maximum_memory_per_cpu? maximum_memory_per_node? )"
    R"(maximum_nodes_per_job#-1 max_time_limit#-1 name nodes over_time_limit? priority_job_factor#1 priority_tier#10 )"
    R"(qos state total_cpus# total_nodes# tres)";

const std::string_view restd_reservation_v38 =
    R"(flags[] accounts burst_buffer core_count# core_spec_cnt# end_time# features groups licenses max_start_delay# )"
    R"(name node_count# node_list partition start_time# watts#4294967294 tres users)";

const std::string_view restd_job_v42 =
    R"(account accrue_time= admin_comment allocating_node:"localhost" array_job_id= array_task_id? array_max_tasks= )"
    R"(array_task_string association_id# batch_features batch_flag:true batch_host flags[] burst_buffer )"
    R"(burst_buffer_state cluster cluster_features command comment container container_id contiguous! core_spec# )"
    R"(thread_spec#32766 cores_per_socket? billable_tres? cpus_per_task=1 cpu_frequency_minimum? cpu_frequency_maximum? )"
    R"(cpu_frequency_governor? cpus_per_tres cron deadline= delay_boot= dependency )"
    R"(derived_exit_code:{"status":["SUCCESS"],"return_code":=,"signal":{"id":?,"name":""}} eligible_time= end_time= )"
    R"(excluded_nodes exit_code:{"status":["SUCCESS"],"return_code":=,"signal":{"id":?,"name":""}} extra failed_node )"
    R"(features federation_origin federation_siblings_active federation_siblings_viable gres_detail[] group_id# )"
    R"(group_name het_job_id= het_job_id_set het_job_offset= job_id# job_resources{} job_size_str[] job_state[] )"
    R"(last_sched_evaluation= licenses mail_type[] mail_user max_cpus= max_nodes= mcs_label memory_per_tres name )"
    R"(network nodes nice# tasks_per_core~ tasks_per_tres= tasks_per_node= tasks_per_socket~ tasks_per_board= cpus= )"
    R"(node_count= tasks= partition prefer memory_per_cpu? memory_per_node= minimum_cpus_per_node= )"
    R"(minimum_tmp_disk_per_node= power:{"flags":[]} preempt_time= preemptable_time= pre_sus_time= hold! priority= )"
    R"(priority_by_partition[] profile:["NOT_SET"] qos reboot! required_nodes required_switches# requeue:true )"
    R"(resize_time= restart_cnt# resv_name scheduled_nodes selinux_context shared[] sockets_per_board# )"
    R"(sockets_per_node? start_time= state_description state_reason:"None" standard_error standard_input:"/dev/null" )"
    R"(standard_output submit_time= suspend_time= system_comment time_limit~ time_minimum= threads_per_core? tres_bind )"
    R"(tres_freq tres_per_job tres_per_node tres_per_socket tres_per_task tres_req_str tres_alloc_str user_id# )"
    R"(user_name maximum_switch_wait_time# wckey current_working_directory)";

const std::string_view restd_node_v42 =
    R"(architecture:"x86_64" burstbuffer_network_address boards#1 boot_time= cluster_name cores#1 specialized_cores# )"
    R"(cpu_binding# cpu_load# free_mem= cpus# effective_cpus# specialized_cpus )"
    R"(energy:{"average_watts":0,"base_consumed_energy":0,"consumed_energy":0,"current_watts":=,"previous_consumed_energy":0,"last_collected":0} )"
    R"(external_sensors{} extra power{} features[] active_features[] gpu_spec gres gres_drained:"N/A" gres_used )"
    R"(instance_id instance_type last_busy= mcs_label specialized_memory# name next_state_after_reboot:["INVALID"] )"
    R"(address hostname state[] operating_system:"Linux" owner partitions[] port# real_memory# res_cores_per_gpu# )"
    R"(comment reason reason_changed_at= reason_set_by_user resume_after= reservation alloc_memory# alloc_cpus# )"
    R"(alloc_idle_cpus# tres_used tres_weighted# slurmd_start_time= sockets# threads#1 temporary_disk# weight#1 tres )"
    R"(version)";

const std::string_view restd_partition_v42 =
    R"(nodes:{"allowed_allocation":"","configured":"","total":0} accounts:{"allowed":"","deny":""} )"
    R"(groups:{"allowed":""} qos:{"allowed":"","deny":"","assigned":""} alternate )"
    R"(tres:{"billing_weights":"","configured":""} cluster select_type[] cpus:{"task_binding":0,"total":0} )"
    R"(defaults:{"memory_per_cpu":0,"partition_memory_per_cpu":?,"partition_memory_per_node":=,"time":?,"job":""} )"
    R"(grace_time# )"
    R"(maximums:{"cpus_per_node":~,"cpus_per_socket":~,"memory_per_cpu":0,"partition_memory_per_cpu":?,"partition_memory_per_node":=,"nodes":~,"shares":1,"oversubscribe":{"jobs":1,"flags":[]},"time":~,"over_time_limit":?} )"
    R"(minimums:{"nodes":0} name node_sets priority:{"job_factor":1,"tier":10} timeouts:{"resume":?,"suspend":?} )"
    R"(partition:{"state":["UP"]} suspend_time?)";

const std::string_view restd_reservation_v42 =
    R"(accounts burst_buffer core_count# core_specializations[] end_time= features flags[] groups licenses )"
    R"(max_start_delay# name node_count# node_list partition )"
    R"(purge_completed:{"time":{"set":true,"infinite":false,"number":300}} start_time= watts{} tres users)";

const std::string_view restd_job_v45 =
    R"(account accrue_time= admin_comment allocating_node:"localhost" array_job_id= array_task_id? array_max_tasks= )"
    R"(array_task_string association_id# batch_features batch_flag:true batch_host flags[] burst_buffer )"
    R"(burst_buffer_state cluster cluster_features command comment container container_id container_type contiguous! )"
    R"(core_spec# thread_spec#32766 cores_per_socket? billable_tres? cpus_per_task=1 cpu_frequency_minimum? )"
    R"(cpu_frequency_maximum? cpu_frequency_governor? cpus_per_tres cron deadline= delay_boot= dependency )"
    R"(derived_exit_code:{"status":["SUCCESS"],"return_code":=,"signal":{"id":?,"name":""}} eligible_time= end_time= )"
    R"(excluded_nodes exit_code:{"status":["SUCCESS"],"return_code":=,"signal":{"id":?,"name":""}} extra failed_node )"
    R"(features federation_origin federation_siblings_active federation_siblings_viable gres_detail[] group_id# )"
    R"(group_name het_job_id= het_job_id_set het_job_offset= job_id# job_resources{} job_size_str[] job_state[] )"
    R"(last_sched_evaluation= licenses licenses_allocated mail_type[] mail_user max_cpus= max_nodes= mcs_label )"
    R"(memory_per_tres memory_update_delay# memory_update_margin# name network nodes nice# tasks_per_core~ )"
    R"(tasks_per_tres= tasks_per_node= tasks_per_socket~ tasks_per_board= cpus= node_count= tasks= partition prefer )"
    R"(memory_per_cpu? memory_per_node= minimum_cpus_per_node= minimum_tmp_disk_per_node= preempt_time= )"
    R"(preemptable_time= pre_sus_time= hold! priority= priority_by_partition[] profile:["NOT_SET"] qos reboot! )"
    R"(required_nodes required_switches# requeue:true resize_time= restart_cnt# resv_name scheduled_nodes segment_size# )"
    R"(selinux_context shared[] sockets_per_board# sockets_per_node? start_time= state_description state_reason:"None" )"
    R"(standard_input:"/dev/null" standard_output standard_error stdin_expanded:"/dev/null" stdout_expanded )"
    R"(stderr_expanded submit_time= submit_line suspend_time= system_comment time_limit~ time_minimum= )"
    R"(threads_per_core? tres_bind tres_freq tres_per_job tres_per_node tres_per_socket tres_per_task tres_req_str )"
    R"(tres_alloc_str user_id# user_name maximum_switch_wait_time# wckey current_working_directory)";

const std::string_view restd_node_v45 =
    R"(architecture:"x86_64" burstbuffer_network_address boards#1 boot_time= tls_cert_last_renewal= cert_flags[] )"
    R"(cluster_name cores#1 specialized_cores# cpu_binding# cpu_load# free_mem= cpus# effective_cpus# specialized_cpus )"
    R"(energy:{"average_watts":0,"base_consumed_energy":0,"consumed_energy":0,"current_watts":=,"previous_consumed_energy":0,"last_collected":0} )"
    R"(extra features[] active_features[] gpu_spec gres gres_drained:"N/A" gres_used instance_id instance_type )"
    R"(last_busy= mcs_label specialized_memory# name next_state_after_reboot:["INVALID"] address hostname state[] )"
    R"(operating_system:"Linux" owner partitions[] port# real_memory# res_cores_per_gpu# comment reason )"
    R"(reason_changed_at= reason_set_by_user resume_after= reservation suspend_time~ alloc_memory# alloc_cpus# )"
    R"(alloc_idle_cpus# tres_used slurmd_start_time= sockets# threads#1 temporary_disk# weight#1 topology tres version)";

const std::string_view restd_partition_v45 =
    R"(nodes:{"allowed_allocation":"","configured":"","total":0} accounts:{"allowed":"","deny":""} )"
    R"(groups:{"allowed":""} qos:{"allowed":"","deny":"","assigned":""} alternate )"
    R"(tres:{"billing_weights":"","configured":""} cluster select_type:["NONE"] cpus:{"task_binding":[],"total":0} )"
    R"(defaults:{"memory_per_cpu":0,"partition_memory_per_cpu":?,"partition_memory_per_node":=,"time":?,"job":""} )"
    R"(flags[] partition:{"exclusive":"NO","oversubscribe":"NO","state":["UP"]} grace_time# )"
    R"(maximums:{"cpus_per_node":~,"cpus_per_socket":~,"memory_per_cpu":0,"partition_memory_per_cpu":?,"partition_memory_per_node":=,"nodes":~,"shares":0,"oversubscribe":{"jobs":0,"flags":[]},"time":~,"over_time_limit":?} )"
    R"(minimums:{"nodes":0} name node_sets preempt_mode:["DISABLED"] priority:{"job_factor":1,"tier":10} )"
    R"(timeouts:{"resume":?,"suspend":?} topology suspend_time?)";

const std::string_view restd_reservation_v45 =
    R"(accounts burst_buffer core_count# core_specializations[] end_time= features flags[] groups licenses )"
    R"(max_start_delay# name node_count# node_list partition )"
    R"(purge_completed:{"time":{"set":true,"infinite":false,"number":300}} start_time= tres users)";

}  // namespace rollcall::sim
